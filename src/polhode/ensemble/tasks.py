"""The work on one block, wherever it is done: its samples, and what the user's functions make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from .blocks import Block, Failure, Job, MemberWarning, run_block
from .member_warnings import find_warnings
from .members import Members
from .result import Ensemble

Array = NDArray[np.float64]
Reduction = Callable[[Ensemble], ArrayLike]


@dataclass(frozen=True)
class Done:
    """What is left of a block: the samples to keep (member, time, size), the initial rows, who failed, reductions, the
    parameters of each member's system, where members have their own, and warnings."""

    numbers: range
    states: Array
    initial: Array
    failures: list[Failure]
    reductions: dict[str, Array]
    parameters: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[MemberWarning] = field(default_factory=list)


@dataclass(frozen=True)
class Task:
    """What is done with a block. `described`: whether the members' parameters are wanted too."""

    job: Job
    reductions: Mapping[str, Reduction] = field(default_factory=dict)
    inputs: Mapping[str, Array] = field(default_factory=dict)
    described: bool = False

    def __call__(self, numbers: range) -> Done:
        block = run_block(self.job, numbers)
        found = self._reduced(block)
        states = block.states[:, -1:] if self.reductions else block.states
        parameters = self._parameters(numbers) if self.described and self.job.members.system is None else []
        told = find_warnings(self.job, block)
        return Done(numbers, states, block.initial, block.failures, found, parameters, told)

    def part(self, numbers: range) -> PartTask:
        """The task for this block alone: what another process is sent."""
        job = replace(self.job, members=self.job.members.part(numbers))
        inputs = {name: values[numbers.start : numbers.stop] for name, values in self.inputs.items()}
        return PartTask(replace(self, job=job, inputs=inputs), numbers)

    def ensemble(self, members: Members, **found: Any) -> Ensemble:
        """What was `found` for these members, with how it was computed."""
        job = self.job
        return Ensemble(members=members, method=job.named_method, form=job.form, step=job.step, **found)

    def _reduced(self, block: Block) -> dict[str, Array]:
        """What the user's functions make of a block."""
        if not self.reductions:
            return {}
        part = block.numbers
        seen = self.ensemble(
            self.job.members.part(part),
            t=self.job.times,
            states=block.states,
            initial=block.initial,
            failures=tuple(replace(f, member=f.member - part.start) for f in block.failures),
            inputs={name: values[part.start : part.stop] for name, values in self.inputs.items()},
        )
        found = {}
        for name, function in self.reductions.items():
            returned = function(seen)
            try:
                values = np.asarray(returned, dtype=np.float64)
            except (TypeError, ValueError):
                kind = type(returned).__name__
                problem = f"it returned a {kind}, and no array of numbers with the members first"
                raise InvalidInputError(f"reduce[{name!r}]", function, problem=problem) from None
            if not values.ndim or len(values) != len(part):
                problem = f"it returned an array of the shape {values.shape} for {len(part)} members, which come first"
                raise InvalidInputError(f"reduce[{name!r}]", function, problem=problem)
            found[name] = values
        return found

    def _parameters(self, numbers: range) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        last, described = None, {}
        for i in numbers:
            try:
                system = self.job.members.state(i).system
                if system is not last:  # the function may give several members the same
                    last, described = system, system.describe()
                found.append(described)
            except Exception:  # the user's function makes no state for this number: the member has failed
                found.append({})
        return found


@dataclass(frozen=True)
class PartTask:
    """The task for one block, with its members alone."""

    task: Task
    numbers: range

    def __call__(self) -> Done:
        done = self.task(range(len(self.numbers)))
        first = self.numbers.start
        failures = [replace(failure, member=failure.member + first) for failure in done.failures]
        warnings = [replace(warning, member=warning.member + first) for warning in done.warnings]
        return replace(done, numbers=self.numbers, failures=failures, warnings=warnings)
