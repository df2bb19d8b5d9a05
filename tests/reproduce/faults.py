"""The planted faults: for each group of rows, what is changed in the library and which rows turn red."""

from __future__ import annotations

from polhode.core.method import Report
from polhode.estimation import MEKF, propagators
from polhode.geometry import s2, so3
from polhode.geometry import son as group
from polhode.methods import DOP853
from polhode.reproduce import (
    attitude_orbit,
    attitude_pendulums,
    attitude_problems,
    attitude_rotations,
    full_body,
    nontwisting,
    quaternion,
    son,
)
from polhode.simulation.trajectory import Trajectory
from polhode.systems import (
    AxisPendulum,
    CoupledBodies,
    DampedGyrostat,
    DirectorBody,
    DoublePlanarPendulum,
    FieldBody,
    FreeRigidBody,
    FullTwoBodyProblem,
    Gyrostat,
    Pendulum3D,
    PlanarBody,
    RigidBodySOn,
    SymmetricRigidBodySOn,
)
from polhode.systems.attitude import constant_moments, orbiting
from polhode.systems.attitude.base import AttitudeSystem
from polhode.systems.attitude.forced import ForcedAttitude
from polhode.systems.full_body.base import GravitatingBodies
from polhode.systems.planar.pendulums import Swinging
from polhode.systems.son import symplectic_forms
from polhode.systems.son.discrete_diagram import DiscreteBody
from polhode.systems.stability import tangent_dynamics

from .planting import Fault, drifting, loose, one_more, reverse, shortened, smaller, stiffer, stray, threefold, turned

tables = nontwisting.compare_nontwisting

NONTWISTING = [
    Fault(tables, DirectorBody, "parameters", ("Table [1234569] *", "Table 7 EM *", "Table 7 DLA K", "Table 8 *", "(11[58]) *")),
    Fault(tables, DirectorBody, "state", ("Table 2 *", "Table 7 *")),
    Fault(tables, s2, "tangent", ("(4) *", "(5) *")),
    Fault(tables, s2, "split_tensor", ("(13) *",)),
    Fault(tables, DirectorBody, "derive", ("(51b) *",), of="pi_par"),
    Fault(tables, so3, "exp", ("(24) *",)),
]  # fmt: skip

SON = [
    Fault(son._continuous, DOP853, "tolerances", ("thm 3.12 *", "section 3 *", "(2.4) change *"), loose),
    Fault(son._continuous, son, "lax_pair", ("(2.4) d(*",)),
    Fault(son._continuous, symplectic_forms, "hamiltonian", ("(3.6) *",)),
    Fault(son._domain, group, "exp", ("after prop. 3.6 *", "def. 3.5 *")),
    Fault(son._domain, son, "momentum", ("(3.3) *",)),
    Fault(son._domain, group, "hat", ("prop. 3.11 *",)),
    Fault(son._derivative_and_bracket, symplectic_forms, "omega_gl", ("(3.11) *",)),
    Fault(son._derivative_and_bracket, son, "costate_derivative", ("(3.12) *",)),
    Fault(son._derivative_and_bracket, symplectic_forms, "dirac_bracket", ("(3.15) *",)),
    Fault(son._discrete, RigidBodySOn, "state", ("(4.5)*", "section 4 *")),
    Fault(son._discrete, DiscreteBody, "Phi", ("(4.5) Q*", "(4.3) *")),
    Fault(son._discrete, DiscreteBody, "action", ("(6.8) *",)),
    Fault(son._discrete, DiscreteBody, "action", ("(6.8), (6.9) *",), turned),
    Fault(son._solving, son, "solve", ("(4.16) *", "(7.14) *", "lemma 7.3 *")),
    Fault(son._solving, son, "hamiltonian_matrix", ("lemma 7.3 *", "thm 7.4 largest *")),
    Fault(son._solving, son, "all_solutions", ("thm 7.4 rotations *",), shortened),
    Fault(son._solving, son, "all_solutions", ("thm 7.4 their *",)),
    Fault(son._solving, son, "largest_factor", ("thm 7.5 *",)),
    Fault(son._control, type(son.DiscreteProblem(abs, abs)), "gradient", ("(6.6) *",)),
    Fault(son._control, SymmetricRigidBodySOn, "derive", ("(5.4) *", "(5.5) *")),
    Fault(son._control, DiscreteBody, "phi_H", ("(6.12) *", "(4.7) *")),
    Fault(son._control, symplectic_forms, "discrete_hamiltonian", ("(6.17) *",)),
    Fault(son._diagram, DiscreteBody, "psi", ("section 7 *", "(7.16) *")),
    Fault(son._diagram, DiscreteBody, "Sigma_L", ("def. of E_L *",)),
    Fault(son._diagram, symplectic_forms, "lagrangian_form", ("before thm 7.2 *",)),
    Fault(son._diagram, DiscreteBody, "weight_after", ("(7.19) *", "(7.21) *")),
    Fault(son._lax, son, "lax_matrix", ("(8.9) *", "(8.11) *")),
    Fault(son._lax, son, "solve", ("(8.10) *",)),
    Fault(son._lax, RigidBodySOn, "state", ("(8.8) *",)),
]

ATTITUDE = [
    Fault(attitude_rotations._variations, so3, "vee2", ("6.3.1 *",)),
    Fault(attitude_rotations._variations, AttitudeSystem, "derive", ("(6.3) *", "problem 6.[12] *")),
    Fault(attitude_rotations._general_equations, AttitudeSystem, "derive", ("*",)),
    Fault(attitude_rotations._free_body, FreeRigidBody, "invariants", ("6.6.1.3 *",)),
    Fault(attitude_rotations._free_body, AttitudeSystem, "derive", ("6.6.1.4 dω*", "problem 6.[79] *")),
    Fault(attitude_rotations._free_body, tangent_dynamics, "rate_and_matrix", ("6.6.1.4 largest *",), stiffer),
    Fault(attitude_rotations._forces, ForcedAttitude, "parameters", ("*",)),
    Fault(attitude_rotations._shells, CoupledBodies, "parameters", ("problem 6.15 growth *", "problem 6.15 eigen*", "* energy *")),
    Fault(attitude_rotations._shells, CoupledBodies, "invariants", ("problem 6.15 (c) *",)),
    Fault(attitude_rotations._geodesics, AttitudeSystem, "parameters", ("problem 6.17 *",)),
    Fault(attitude_rotations._geodesics, so3, "log", ("problem 6.16 *",)),
    Fault(attitude_pendulums._potential, Pendulum3D, "potential_energy", ("6.6.2.1 *", "6.6.2.2 *", "6.6.2.3 change of ½*")),
    Fault(attitude_pendulums._potential, Pendulum3D, "invariants", ("6.6.2.3 *",)),
    Fault(attitude_pendulums._equilibria, AttitudeSystem, "parameters", ("6.6.2.4 eigenvalues² *",)),
    Fault(attitude_pendulums._equilibria, Pendulum3D, "potential_energy", ("6.6.2.4 U *",)),
    Fault(attitude_pendulums._equilibria, Pendulum3D, "equilibria", ("6.6.2.4 e₃*", "6.6.2.4 eigen*", "* positive real part"), reverse),
    Fault(attitude_pendulums._relative_equilibria, AttitudeSystem, "momentum_at", ("*",)),
    Fault(attitude_pendulums._axis_pendulum, AxisPendulum, "derive", ("6.6.4 *", "6.6.4.[246] *", "(6.31) *")),
    Fault(attitude_pendulums._axis_pendulum, Swinging, "parameters", ("6.6.4.5 *",)),
    Fault(attitude_orbit._potential, FieldBody, "own_parameters", ("6.6.3.1 moment *", "(6.23) *")),
    Fault(attitude_orbit._potential, FieldBody, "field_potential", ("6.6.3.1 ∂*",)),
    Fault(attitude_orbit._motion, AttitudeSystem, "parameters", ("*",)),
    Fault(attitude_orbit._equilibria, AttitudeSystem, "parameters", ("6.6.3.4 [!e]*",)),
    Fault(attitude_orbit._equilibria, orbiting, "cube_attitudes", ("6.6.3.4 equilibria*",), shortened),
    Fault(attitude_problems._plane, PlanarBody, "parameters", ("problem 6.3 *",)),
    Fault(attitude_problems._plane, Swinging, "parameters", ("problem 6.4 *",)),
    Fault(attitude_problems._double_pendulum, DoublePlanarPendulum, "parameters", ("* (b) *", "* (c) *")),
    Fault(attitude_problems._double_pendulum, DoublePlanarPendulum, "equilibria", ("* (d) *",), shortened),
    Fault(attitude_problems._free_body, AttitudeSystem, "parameters", ("*",)),
    Fault(attitude_problems._charges, AttitudeSystem, "parameters", ("*",)),
    Fault(attitude_problems._constant_moment, AttitudeSystem, "rate_at", ("* (a) *", "* ω₁²*")),
    Fault(attitude_problems._constant_moment, constant_moments, "check_moment", ("* (a) *", "* (b) *"), turned),
    Fault(attitude_problems._coupled, CoupledBodies, "parameters", ("* (a) *", "* energy *")),
    Fault(attitude_problems._coupled, CoupledBodies, "invariants", ("* change *",)),
]  # fmt: skip

FULL_BODY = [
    Fault(full_body._variational, GravitatingBodies, "invariants", ("5.2 max |E*", "4.1 change*")),
    Fault(full_body._variational, FullTwoBodyProblem, "linear_momentum", ("4.1 total*",), stray),
    Fault(full_body._variational, FullTwoBodyProblem, "derive", ("5.2 max ‖*",), of="R"),
    Fault(full_body._variational, FullTwoBodyProblem, "derive", ("5.2, Fig. 4 the same*",), of="X"),
    Fault(full_body._variational, FullTwoBodyProblem, "derive", ("5.2, Fig. 4 *",), reverse, of="X"),
    Fault(full_body._variational, Report, "most_iterations", ("4.3 *",), one_more),
    Fault(full_body._runge_kutta, FullTwoBodyProblem, "derive", ("*",), of="R"),
    Fault(full_body._misprints, Trajectory, "state", ("(77) *", "(54) *", "(119) *", "(123) *")),
    Fault(full_body._misprints, FullTwoBodyProblem, "state", ("3.2.2 *",)),
]

QUATERNION = [
    Fault(
        quaternion._free_body, AttitudeSystem, "parameters", ("Fig. 2 *", "* midpoint*", "* RK45*", "Fig. 3 energy*")
    ),
    Fault(quaternion._free_body, FreeRigidBody, "invariants", ("Fig. [123] *",)),
    Fault(quaternion._work, DampedGyrostat, "own_parameters", ("Fig. 4 work of RK45*", "* full kick*"), threefold),
    Fault(quaternion._energies, DampedGyrostat, "own_parameters", ("*",)),
    Fault(quaternion._stiff_solvers, DampedGyrostat, "own_parameters", ("*",)),
    Fault(quaternion._filter, MEKF, "process_noise", ("Fig. 7 RMS (°)*", "Fig. 7 RMS of *", "* substeps, *")),
    Fault(quaternion._filter, AttitudeSystem, "parameters", ("Fig. 7 *",)),
    Fault(quaternion._filter, propagators, "_few_steps", ("Fig. 7 RMS (°)*", "(69) *"), drifting),
    Fault(quaternion._misprints, Gyrostat, "parameters", ("(49) *", "(63) *")),
    Fault(quaternion._misprints, DampedGyrostat, "own_parameters", ("(66), (67) *",)),
    Fault(quaternion._misprints, AttitudeSystem, "derive", ("(36), (37) *",), of="Pi"),
    Fault(quaternion._misprints, Gyrostat, "derive", ("VIII*",), of="Pi"),
    Fault(quaternion._misprints, AttitudeSystem, "derive", ("after (37) *",), of="q"),
    Fault(quaternion._misprints, AttitudeSystem, "largest_step", ("after (31) *",), smaller),
]

FAULTS = [*NONTWISTING, *SON, *ATTITUDE, *FULL_BODY, *QUATERNION]
