"""Tables 1–9 of C. G. Gebhardt, I. Romero, "The rotating rigid body model based on a non-twisting frame" (2020).

Three cases of the non-twisting body with t ∈ [0, 5] and h = 0.005, by the energy–momentum scheme (EM) and the discrete
Lagrange–d'Alembert equations (DLA): nonzero rates, a load that vanishes at t = 1, and both. The printed loads (115) and
(118) are 20 times those of the printed tables. Momenta and energies are printed truncated, not rounded, after six
decimals. Quotients are published with six decimals, but come from solutions with a tolerance of 1e-10 per step: an error of
`SOURCE_ERROR` in the attitude, relative to the differences of which the quotient is made, is the accuracy that they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..analysis.precision import QuotientOfPrecision, quotient_of_precision
from ..core.system import State
from ..geometry import s2, so3
from ..methods import EnergyMomentum, LagrangeDAlembert
from ..methods.directors import DirectorScheme
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems import DirectorBody, NonTwistingBody
from .base import Comparison, correct_statement, misprint, published_value

INERTIA = [[3.0, -1.0 / 7.0, 0.0], [-1.0 / 7.0, 4.0, 0.0], [0.0, 0.0, 5.0]]  # (111)
STEP, END = 0.005, 5.0
SPACING = 1e-3  # of samples of which a rate is found
SECONDS = np.arange(1.0, 6.0)
SOURCE_ERROR = 2e-8  # after up to 4000 steps with a tolerance of 1e-10 each
SCHEMES: dict[str, DirectorScheme] = {"EM": EnergyMomentum(), "DLA": LagrangeDAlembert()}
TOO_LARGE = "this load gives other values than the tables; 1/20 of it gives every published digit"


@dataclass(frozen=True)
class Case:
    """A case as published, with the digits of the tables; `load` is the peak moment along d₁ and d₂ that gives the tables."""

    number: int
    omega: tuple[float, float, float]
    load: tuple[float, float]
    quotients: tuple[str, ...]
    stationary: dict[str, tuple[str, str, str, str]]  # of each scheme Π¹, Π², H, K

    def state(self, factor: float = 1.0) -> State:
        """The start of the case, with `factor` times the load; the moment acts along the mean directors."""
        moment = {"profile": "triangle", "coefficients": [-factor * self.load[0], -factor * self.load[1], 0.0]}
        body = NonTwistingBody(INERTIA, moment=moment if any(self.load) else None)
        return body.state(omega=self.omega)


CASES = (
    Case(
        1,
        omega=(6.0, -18.0, 0.0),
        load=(0.0, 0.0),
        quotients=("3.994933", "3.994869", "3.994787", "3.994663", "3.994504"),
        stationary={
            "EM": ("20.571428", "-72.857142", "717.428571", "717.428571"),
            "DLA": ("20.571428", "-72.857142", "717.428571", "719.050090"),
        },
    ),
    Case(
        2,
        omega=(0.0, 0.0, 0.0),
        load=(123.625, 53.75),
        quotients=("3.987886", "3.985379", "3.984407", "3.983255", "3.981796"),
        stationary={
            "EM": ("-61.749731", "-26.845155", "746.591699", "746.591699"),
            "DLA": ("-61.748707", "-26.847264", "746.585994", "748.905662"),
        },
    ),
    Case(
        3,
        omega=(1.5, 4.5, 0.0),
        load=(61.8125, 26.875),
        quotients=("3.998023", "3.997424", "3.997327", "3.997289", "3.997247"),
        stationary={
            "EM": ("-27.042702", "4.351472", "123.059926", "123.059926"),
            "DLA": ("-27.043073", "4.350837", "123.062771", "123.125281"),
        },
    ),
)


@cache
def case_run(number: int, scheme: str) -> Trajectory:
    """The run of a case by a scheme, with every step."""
    state = CASES[number - 1].state()
    return simulate(state, step=STEP, t_end=END, method=SCHEMES[scheme])


@cache
def case_quotient(number: int, save_every: int = 200) -> QuotientOfPrecision:
    """The quotient of precision of EM, over the directors; by default at t = 1, 2, 3, 4, 5."""
    state = CASES[number - 1].state()
    return quotient_of_precision(state, SCHEMES["EM"], STEP, END, variable="R", save_every=save_every)


def compare_nontwisting() -> list[Comparison]:
    """Every number of Tables 1–9, and the misprints that can be tested numerically."""
    rows: list[Comparison] = []
    for case in CASES:
        rows += _quotients(case)
        rows += _over_time(case)
        rows += _comparison(case)
    return rows + _sphere() + _misprints()


def _quotients(case: Case) -> list[Comparison]:
    """Tables 1, 3 and 5."""
    where = f"Table {2 * case.number - 1}"
    found = case_quotient(case.number).values
    half, quarter = (
        simulate(case.state(), step=STEP / k, t_end=END, method=SCHEMES["EM"], save_every=200 * k).R for k in (2, 4)
    )
    size = np.linalg.norm((half - quarter).reshape(len(half), -1), axis=1)[1:]
    return [
        published_value(where, f"quotient of precision at t = {t:g}", text, f, tolerance=f * SOURCE_ERROR / d)
        for t, text, f, d in zip(SECONDS, case.quotients, found.tolist(), size.tolist(), strict=True)
    ]


def _over_time(case: Case) -> list[Comparison]:
    """Tables 2, 4 and 6: the same numbers five times, of which the worst is compared."""
    traj, (Pi1, Pi2, _, K) = case_run(case.number, "EM"), case.stationary["EM"]
    index = np.searchsorted(traj.t, SECONDS - 0.5 * STEP)
    series = {"Π¹": (Pi1, traj.Pi[index, 0]), "Π²": (Pi2, traj.Pi[index, 1]), "K": (K, traj.kinetic_energy[index])}
    return [
        published_value(
            f"Table {2 * case.number}", f"{name} at t = 1, …, 5", text, _worst(found, float(text)), truncated=True
        )
        for name, (text, found) in series.items()
    ]


def _worst(found: np.ndarray, published: float) -> float:
    return float(found[np.argmax(np.abs(found - published))])


def _comparison(case: Case) -> list[Comparison]:
    """Tables 7, 8 and 9. H is the energy of the momenta at a node; K for DLA that of the increments (128)."""
    rows = []
    for scheme, published in case.stationary.items():
        traj = case_run(case.number, scheme)
        H = traj.kinetic_energy[-1]
        K = LagrangeDAlembert.discrete_energy(traj)[-1] if scheme == "DLA" else H
        found = (traj.Pi[-1, 0], traj.Pi[-1, 1], H, K)
        rows += [
            published_value(f"Table {6 + case.number}", f"{scheme} {name}", text, float(f), truncated=True)
            for name, text, f in zip(("Π¹", "Π²", "H", "K"), published, found, strict=True)
        ]
    return rows


def _twisting_motion() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """An exact motion of the standard body, which does twist, at five times `SPACING` apart; and ḋ₃ at the middle one."""
    body = DirectorBody(INERTIA)
    state = body.state(omega=[1.0, -0.7, 0.5])
    values = body.exact(state, 1.0 + SPACING * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))
    motion = {"R": values["R"]} | {name: body.derive(name, values) for name in ("omega", "pi_par", "pi_perp")}
    return motion, np.cross(motion["R"][2] @ motion["omega"][2], motion["R"][2][:, 2])


def _rate(samples: np.ndarray) -> np.ndarray:
    """The derivative at the middle of five samples."""
    return (8.0 * (samples[3] - samples[1]) - (samples[4] - samples[0])) / (12.0 * SPACING)


def _sphere() -> list[Comparison]:
    """The covariant derivative and the split of tensors on S², along that motion."""
    motion, d3_rate = _twisting_motion()
    d3, pi = motion["R"][2][:, 2], motion["pi_perp"]
    nabla = s2.tangent(d3, _rate(pi))
    Dv = np.outer(_rate(pi), d3_rate) / (d3_rate @ d3_rate)  # of a field that is π⊥ on the path of d₃
    field = s2.covariant_derivative(d3, Dv, d3_rate)
    R = motion["R"][2]
    across, along = s2.split_tensor(d3, R[:, 2], R @ np.array(INERTIA) @ R.T)
    w = R @ motion["omega"][2]
    split = np.concatenate([across @ w - motion["pi_perp"][2], along @ w - motion["pi_par"][2] * d3])
    return [
        correct_statement("(4)", "|∇π⊥ of a field − ∇π⊥ along the curve|", np.abs(field - nabla).max()),
        correct_statement(
            "(5)", "|∇π⊥ + π∥ ḋ₃| of a free motion", np.abs(nabla + motion["pi_par"][2] * d3_rate).max(), 1e-9
        ),
        correct_statement("(13)", "|J⊥ w − π⊥|, |J∥ w − π∥ d₃|", np.abs(split).max()),
    ]


def _misprints() -> list[Comparison]:
    """Misprinted equations."""
    rows = []
    for equation, case in (("(115)", CASES[1]), ("(118)", CASES[2])):
        heavy = simulate(case.state(factor=20.0), step=STEP / 20.0, t_end=1.0, method=SCHEMES["EM"], save_every=4000)
        Pi, text = case_run(case.number, "EM").final.Pi[0], case.stationary["EM"][0]
        rows.append(misprint(equation, "Π¹ that the load gives", heavy.final.Pi[0], float(text), Pi, TOO_LARGE, 1e-6))

    motion, d3_rate = _twisting_motion()
    rate = _rate(motion["pi_par"])
    work = motion["pi_perp"][2] @ d3_rate
    reason = "d₃·dπ⊥/dt = −π⊥·dd₃/dt, so the sign is minus; μ absorbs it in (69b) and (71b)"
    rows.append(misprint("(51b)", "dπ∥/dt of a free motion", -work, work, rate, reason, 1e-9))
    frame = motion["R"][2]
    turned = frame @ so3.exp([0.0, 0.0, 1.0])
    published, corrected = (np.cos(1.0) * frame[:, i] - np.sin(1.0) * frame[:, 0] for i in (0, 1))
    rows.append(
        misprint("(24)", "d₂ after a twist of ψ = 1", published, corrected, turned[:, 1], "the last d₁ should be d₂")
    )
    return rows
