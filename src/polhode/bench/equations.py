"""The equations of a motion as machine code, for solvers that take a compiled right-hand side.

They are traced with symbols, common parts are taken out, and what remains is compiled by Numba: as good as written by hand.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy.printing.pycode import PythonCodePrinter

from .motions import Motion


class _Printer(PythonCodePrinter):
    """Python's own operations; x^(−3/2) without the function pow."""

    def _print_Pow(self, expr: Any, rational: bool = False, sqrt: str = "sqrt") -> str:
        if expr.exp == sympy.Rational(-3, 2) or expr.exp == -1.5:
            base = self._print(expr.base)
            return f"(1.0/(({base})*sqrt({base})))"
        return str(super()._print_Pow(expr, rational))


def source_of(motion: Motion) -> str:
    """A function `rates(y, dy)` in Python, as text."""
    assert motion.rates is not None
    y = sympy.symbols(f"y:{motion.start.size}")
    parts, rates = sympy.cse([sympy.sympify(rate) for rate in motion.rates(y)], sympy.numbered_symbols("x"))
    printer = _Printer({"fully_qualified_modules": False})
    lines = ["def rates(y, dy):"]
    lines += [f"    y{i} = y[{i}]" for i in range(len(y))]
    lines += [f"    {name} = {printer.doprint(part)}" for name, part in parts]
    lines += [f"    dy[{i}] = {printer.doprint(rate)}" for i, rate in enumerate(rates)]
    return "\n".join(lines) + "\n"


def compiled_rates(motion: Motion) -> Any:
    """The same, compiled: for arrays and for pointers to doubles."""
    from math import sqrt

    from numba import njit

    names: dict[str, Any] = {"sqrt": sqrt}
    exec(source_of(motion), names)  # text that was made here, from our own equations
    return njit(error_model="numpy")(names["rates"])
