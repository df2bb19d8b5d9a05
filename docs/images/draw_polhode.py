"""Draws polhode.png, the picture in the README: the same motion seen in the body and in space.

python docs/images/draw_polhode.py
"""

from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

import polhode as ph
from polhode.view.figures.sphere_paths import draw_body_axis, draw_polhode
from polhode.view.figures.style import BLUE, styled


@styled
def main() -> None:
    body = ph.FreeRigidBody(inertia=[1, 2, 3])
    trajectory = ph.simulate(body.state(omega=[0.6, -0.4, 0.75]), step=0.02, t_end=70.0)
    figure = Figure(figsize=(8.0, 14 / 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_polhode(left, trajectory)
    left.set_title("in the body: momentum on its polhode", loc="center", pad=14)
    draw_body_axis(right, trajectory, 2, BLUE)
    right.set_title("in space: where the third axis points", loc="center", pad=14)
    file = Path(__file__).with_name("polhode.png")
    figure.savefig(file, dpi=150)
    # two hundred and fifty-six colours are plenty, and a third of the size
    Image.open(file).convert("RGB").quantize(256).save(file, optimize=True)


if __name__ == "__main__":
    main()
