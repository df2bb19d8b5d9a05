"""Numba's compiler with another last pass, the one that generates code."""

from __future__ import annotations

from typing import Any, ClassVar

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.typed_passes import NativeLowering


class Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's own passes, the last of them replaced by `lowering`."""

    lowering: ClassVar[type[NativeLowering]]

    def define_pipelines(self) -> list[Any]:
        """The only pipeline: everything is compiled in Numba's nopython mode."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if each is NativeLowering else each, why) for each, why in passes.passes]
        passes.finalize()
        return [passes]
