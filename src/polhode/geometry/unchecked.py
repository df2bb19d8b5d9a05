"""Maps of rotations on arrays that take their arguments as they are.

The maps of `so3`, `quaternion`, `s2` and `son` refuse what is not a rotation. A run may have other states: methods
that do not stay on the group drift off it, a run that failed holds NaN, and a search passes through states of its own. So
the library itself uses these forms, which are the same formulas without the check. Shapes are checked all the same. Those
by which fields of a system are derived or a state is moved take complex numbers too: a tangent vector, made small, in the
imaginary part is carried along.
"""

from __future__ import annotations

from . import quaternion, s2, so3
from .array_api import MATRIX, QUATERNION, SCALAR, VECTOR, front
from .son import _distance as son_distance
from .son import _exp as son_exp
from .son import _hat as son_hat
from .son import _log as son_log
from .son import _vee as son_vee

__all__ = [
    "from_matrix",
    "hat",
    "normalized",
    "quaternion_distance",
    "quaternion_exp",
    "quaternion_geodesic",
    "quaternion_multiply",
    "rotate",
    "rotation_distance",
    "rotation_exp",
    "rotation_log",
    "rotation_vee",
    "son_distance",
    "son_exp",
    "son_hat",
    "son_log",
    "son_vee",
    "sphere_project",
    "sphere_tangent",
    "sphere_transport",
    "to_matrix",
    "vee2",
]

hat = front(so3.hat_, VECTOR, MATRIX, names=("x",), tangents=True)
vee2 = front(so3.vee2_, MATRIX, VECTOR, names=("A",), tangents=True)
rotation_exp = front(so3.exp_, VECTOR, MATRIX, names=("x",), tangents=True)
rotation_log = front(so3.log_, MATRIX, VECTOR, names=("R",))
rotation_vee = front(so3.vee_, MATRIX, VECTOR, names=("A",))
rotation_distance = front(so3.distance_, MATRIX, MATRIX, SCALAR, names=("R", "Q"))

to_matrix = front(quaternion.to_matrix_, QUATERNION, MATRIX, names=("q",), tangents=True)
from_matrix = front(quaternion.from_matrix_, MATRIX, QUATERNION, names=("R",), tangents=True)
normalized = front(quaternion.normalized_, QUATERNION, QUATERNION, names=("q",))
rotate = front(quaternion.rotate_, QUATERNION, VECTOR, VECTOR, names=("q", "x"))
quaternion_exp = front(quaternion.exp_, VECTOR, QUATERNION, names=("x",), tangents=True)
quaternion_multiply = front(quaternion.multiply_, *[QUATERNION] * 3, names=("p", "q"), tangents=True)
quaternion_distance = front(quaternion.distance_, QUATERNION, QUATERNION, SCALAR, names=("p", "q"))
quaternion_geodesic = front(quaternion.geodesic_, QUATERNION, QUATERNION, SCALAR, QUATERNION, names=("p", "q", "s"))

sphere_project = front(s2.project_, VECTOR, VECTOR, names=("x",))
sphere_tangent = front(s2.tangent_, VECTOR, VECTOR, VECTOR, names=("d", "v"))
sphere_transport = front(s2.transport_, VECTOR, VECTOR, VECTOR, VECTOR, names=("d", "e", "v"))
