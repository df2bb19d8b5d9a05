"""Which small faults can be planted in a source file: one operator, number, condition or call is changed at a time.

Texts, docstrings, messages of errors and warnings, type hints, decorators, `__all__` and the numbers of examples, which are
anybody's choice, are left alone.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SWAPPED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


@dataclass(frozen=True)
class Mutant:
    """One planted fault: in the file `path` (below `src/polhode`), the text `old` at `place` becomes `new`."""

    path: str
    line: int
    place: int
    old: str
    new: str
    context: str
    """The source line, without the spaces around it."""
    occurrence: int
    """Which one it is of those of the same file with the same line and change: it tells them apart when files grow."""

    @property
    def key(self) -> str:
        """What the mutant is recognised by, whatever else changes in its file."""
        text = "\0".join((self.path, self.context, self.old, self.new, str(self.occurrence)))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def applied(self, source: str) -> str:
        """The source with the fault in it."""
        assert source[self.place : self.place + len(self.old)] == self.old
        return source[: self.place] + self.new + source[self.place + len(self.old) :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.old}` → `{self.new}` in `{self.context}`"


class _Changes(ast.NodeVisitor):
    """Collects (place, old, new); places count characters from the start of the file."""

    def __init__(self, source: str) -> None:
        self.source, self.found = source, list[tuple[int, str, str]]()
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def place(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def swap(self, left: ast.expr, operator: ast.AST, right: ast.expr, suffix: str = "") -> None:
        """The operator between two operands; a comment between them may hold its sign too, and is then in the way."""
        if type(operator) in SWAPPED:
            old, new = (text + suffix for text in SWAPPED[type(operator)])
            start, end = self.span(left)[1], self.span(right)[0]
            between = self.source[start:end]
            if between.count(old) == 1 and "#" not in between:
                self.found.append((start + between.index(old), old, new))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right)):
            self.swap(node.left, node.op, node.right)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.swap(node.target, node.op, node.value, "=")
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self.swap(left, operator, right)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.swap(left, node.op, right)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        text = {ast.USub: "-", ast.Not: "not "}.get(type(node.op))
        start = self.span(node)[0]
        if text and self.source.startswith(text, start):
            self.found.append((start, text, ""))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        start, end = self.span(node)
        old, value = self.source[start:end], node.value
        if isinstance(value, bool):
            self.found.append((start, old, str(not value)))
        elif isinstance(value, int):
            self.found.append((start, old, str(value + 1)))
        elif isinstance(value, float):
            self.found.append((start, old, repr(2.0 * value if value else 1.0)))

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call whose result is not used, such as a check."""
        if isinstance(node.value, ast.Call) and not ast.unparse(node.value.func).endswith(("warn", "super().__init__")):
            start, end = self.span(node)
            self.found.append((start, self.source[start:end], "None"))
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if not ast.unparse(node.func).endswith(("Error", "warn", "Warning", "cast", "TypeVar")):
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name == "example":
            return
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if "__all__" not in ast.unparse(node.targets[0]):
            self.generic_visit(node)

    def _leave_alone(self, node: ast.AST) -> None: ...

    visit_Raise = visit_JoinedStr = visit_Assert = visit_Import = visit_ImportFrom = _leave_alone


def mutants_of(root: Path, path: str) -> Iterator[Mutant]:
    """Every mutant of the file `root/path`, in the order of the file."""
    source = (root / path).read_text()
    collected = _Changes(source)
    collected.visit(ast.parse(source))
    seen: dict[tuple[str, str, str], int] = {}
    for place, old, new in sorted(set(collected.found)):
        line = source.count("\n", 0, place) + 1
        context = collected.lines[line - 1].strip()
        number = seen[context, old, new] = seen.get((context, old, new), -1) + 1
        yield Mutant(path, line, place, old, new, context, number)


def sample(root: Path, packages: tuple[str, ...], count: int, seed: int) -> list[Mutant]:
    """So many of the mutants of these packages, drawn at random: those whose keys, scrambled by the seed, come first. When
    a file changes, the mutants of its other lines and of other files stay in the sample."""
    paths = [p.relative_to(root).as_posix() for package in packages for p in sorted((root / package).rglob("*.py"))]
    mutants = [mutant for path in paths for mutant in mutants_of(root, path)]
    return sorted(mutants, key=lambda m: hashlib.sha256(f"{seed} {m.key}".encode()).digest())[:count]
