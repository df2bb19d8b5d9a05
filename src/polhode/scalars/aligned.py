"""Flows and loops whose stack is aligned to a cache line.

A vector of eight doubles fills a cache line. Spilled to a stack that is aligned to 16 or 32 bytes, as the caller happens
to leave it, every second vector lies across two lines: the same run on lanes or duals then takes up to 1.6 times as long
in one process as in another. With its stack aligned to 64 bytes it is as fast in every process.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from .calls import CACHE_LINE, add_entry
from .pipeline import Compiler


class AlignedLower(Lower):
    """Numba's code generator, with the attribute on the function that it makes."""

    def setup_function(self, fndesc: Any) -> None:
        """Numba's own, and the alignment of the stack."""
        super().setup_function(fndesc)
        attributes = self.function.attributes
        attributes.add("nounwind")  # they never raise; llvmlite writes an alignment only beside another attribute
        attributes.alignstack = CACHE_LINE


class FlowLower(AlignedLower):
    """The same for flows, with the function by which loops enter them."""

    def create_cfunc_wrapper(self) -> None:
        add_entry(self.context, self.library, self.fndesc)


@register_pass(mutates_CFG=True, analysis_only=False)
class AlignedLowering(NativeLowering):
    """The compiler's last pass, with that code generator."""

    _name = "aligned_native_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return AlignedLower


@register_pass(mutates_CFG=True, analysis_only=False)
class FlowLowering(NativeLowering):
    """The same for flows."""

    _name = "flow_native_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return FlowLower


class AlignedCompiler(Compiler):
    """Numba's compiler with that last pass."""

    lowering = AlignedLowering


class FlowCompiler(Compiler):
    """The same for flows."""

    lowering = FlowLowering
