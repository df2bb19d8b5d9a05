"""How compiled code calls the functions of this package: with plain integers, also where a number is written.

Numba gives the constant in `get3(y, 12, S)` a type of its own and compiles `get3` anew for every such number. All of them
are inlined, and the optimiser sees the number there: one form for all integers leads to the same machine code, and a
fifth less is compiled.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.errors import TypingError
from numba.extending import models, register_model


class Callee(types.Dispatcher):  # type: ignore[misc]
    """The type of a function of this package in compiled code."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature for plain integers or, where the function needs to know the numbers, for these."""
        plain = tuple(map(_plain, args)), {name: _plain(kind) for name, kind in kws.items()}
        if plain == (tuple(args), dict(kws)):
            return super().get_call_type(context, args, kws)
        try:
            return super().get_call_type(context, *plain)
        except TypingError:
            return super().get_call_type(context, args, kws)


register_model(Callee)(models.OpaqueModel)


def _plain(kind: types.Type) -> types.Type:
    return types.int64 if isinstance(kind, types.IntegerLiteral) else kind
