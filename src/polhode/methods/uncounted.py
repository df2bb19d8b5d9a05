"""Loops and kernels that count no references.

Numba counts who uses an array, so that it can be freed. Where arrays lie in named groups, every group that is opened costs an
atomic operation per array, and flows, which are called by their addresses, keep the compiler from leaving them out: up to
half of the time of a short step. What is decorated here counts nothing. It must not allocate (no `np.empty`, and no array
assigned to a slice: copy in a loop) and must not return an array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ParamSpec, TypeVar, cast

from ..scalars.aligned import AlignedCompiler
from ..scalars.compile import Compiled, Kernel, cached_dispatcher, dispatcher_of
from ..scalars.linked import LINKED

P = ParamSpec("P")
T = TypeVar("T")


class UncountedLoop(Compiled):
    """A function that Python calls, as `polhode.scalars.loop` makes it, without counts of references."""

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function."""
        return cached_dispatcher(self.function, _nrt=False, pipeline_class=AlignedCompiler)

    @cached_property
    def linked(self) -> Any:
        """The form of it that other loops take in."""
        return dispatcher_of(self.function, _nrt=False, **LINKED)


class UncountedKernel(Kernel):
    """A function for such loops alone, inlined into them."""

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, which inlines."""
        return dispatcher_of(self.function, forceinline=True, _nrt=False, **LINKED)


def uncounted_loop(function: Callable[..., Any]) -> UncountedLoop:
    """A `loop` that counts no references."""
    return UncountedLoop(function)


def uncounted_kernel(function: Callable[P, T]) -> Callable[P, T]:
    """A `kernel` that counts no references; for the type checker it keeps its own signature."""
    return cast(Callable[P, T], UncountedKernel(function))
