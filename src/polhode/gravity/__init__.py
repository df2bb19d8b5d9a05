"""The mutual gravity of two bodies: potential, force, both moments, and their derivatives.

`U(X, R) = −G ∬ dm₁dm₂/|X + Rρ₁ − ρ₂|`, with X the position of body 1 relative to body 2 and R the attitude of body 1,
both in the frame of body 2, whose components all results have too (the relative form of [LLM07], equations 34–53).

From Python: an interaction (`PointsPoints`, `Expansion`, `PolyhedronPoint`, `Shapes`) has `evaluate(X, R) -> (U, ∂U/∂X, M)`,
`moments(X, R)` and `derivatives(X, R)`. The moment on body 1 is −M, that on body 2 is `X × ∂U/∂X + M`.

From compiled code: every interaction has the one signature

    (S, X, R, p, at, work, w) -> (U, (Fx, Fy, Fz), (Mx, My, Mz))

    S        the scalar: doubles, lanes or duals
    X, R     tuples of 3 and 9 scalars
    p, at    the parameters of the run, and the entry of them at which this interaction's block begins: the numbers of
             `interaction.parameters()`, whose first says which interaction it is
    work, w  a workspace and the entry at which this call may begin: `interaction.workspace` entries, that is
             `workspace * width(S)` doubles from `w * width(S)` on; what is in them before or after has no meaning.
             One workspace serves all pairs of a run, in turn; it may be a part of `p` that holds no parameters.
    F, M     ∂U/∂X and the moment of (53) of [LLM07]

and `kernel_for` gives the kernel of the kinds that the pairs of a system have. Its flows close over it, so that a system
with interactions of one kind is compiled with nothing else; where pairs differ in kind it is `mutual`, which reads the kind
from p and branches. Flows call it by `relative_gravity`, or in inertial coordinates by `inertial_gravity`. Lanes differ in their bodies' numbers, not in kind, order or number of points; of two
polyhedra all lanes use the rules for the nearest, and agree with doubles to the tolerance. The expansion of order above
2, the polyhedron and the pair of polyhedra are compiled once each and called, not inlined.
"""

from .dispatch import inertial_gravity, kernel_for, moment_on_second, relative_gravity
from .fields import PolyhedronField
from .interactions import LARGEST_ORDER, Expansion, Interaction, PointsPoints, PolyhedronPoint, attracts_as_point
from .shapes import Shapes

__all__ = [
    "LARGEST_ORDER",
    "Expansion",
    "Interaction",
    "PointsPoints",
    "PolyhedronField",
    "PolyhedronPoint",
    "Shapes",
    "attracts_as_point",
    "inertial_gravity",
    "kernel_for",
    "moment_on_second",
    "relative_gravity",
]
