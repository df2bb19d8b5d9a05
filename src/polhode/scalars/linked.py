"""Functions that only compiled code calls: they are linked into their callers, and have no machine code of their own.

Numba optimises each function and emits machine code for it, and does so again inside every function that calls it: with
kernels that call kernels the same formula is optimised once per level. The library of a linked function keeps its code as it
was generated; the flow or loop in which it ends up is optimised once, as a whole. On SO(n) this takes a third of the time.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from .pipeline import Compiler


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Numba's library of a function, without optimisation and machine code."""

    codegen = SimpleNamespace(set_env=lambda name, environment: None)  # no code that could look at its environment

    def _optimize_functions(self, ll_module: Any) -> None:
        """Left to the library that links it."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Left to the library that links it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Null: there is no machine code."""
        return 0


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(NativeLowering):
    """The compiler's last pass, into that library."""

    _name = "linked_native_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


class LinkedCompiler(Compiler):
    """Numba's compiler with that last pass."""

    lowering = LinkedLowering


LINKED: dict[str, Any] = {"pipeline_class": LinkedCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""The options of Numba that make a function such a one; the wrappers are for callers outside of compiled code."""
