"""Draws the pictures of the gallery: of each example the bodies at one time, and a figure of the whole run.

python docs/images/draw_gallery.py [NAME ...]
"""

import sys
import tempfile
import warnings
from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image, ImageOps

from polhode.cli import main as main_command
from polhode.errors import RunWarning
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.ensemble import build_ensemble
from polhode.io.scenario.examples import example_scenarios
from polhode.simulation.trajectory import Trajectory
from polhode.view.figures.catalogue import FIGURES, figures_for
from polhode.view.figures.style import styled
from polhode.view.movie.drawing import draw_frame
from polhode.view.scene.scene import scene

FOLDER = Path(__file__).with_name("gallery")
WIDTH = 560, 300  # pixels, of a figure and of the bodies beside it
LARGEST = 60_000  # bytes of a picture
FRACTION = 0.46  # of the run, at which the bodies are shown

# the figure that says most: the first of these that the system has, unless another is chosen for the example
TELLING = ("orbit", "path", "phase", "dissipation", "tip", "bodies", "polhode", "momenta", "body_axes", "rates")
CHOSEN = {
    "kw4": "libration",
    "didymos": "libration",
    "damped_pendulum": "energies",
    "free_rigid_body": "invariants",
    "free_rigid_body_order8": "body_axes",
    "quaternion": "polhode",
    "coupled_bodies": "energies",
    "quaternion_million_steps": "invariants",
    "tumbling_middle_axis": "rates",
    "t_handle": "rates",
    "gyrostat_spin_up": "rates",
    "gravity_gradient": "euler",
}


def picture(figure: Figure) -> Image.Image:
    """A figure as a picture of the gallery's width."""
    return _drawn(figure, WIDTH[0], figure.get_figwidth())


def _drawn(figure: Figure, pixels: int, inches: float) -> Image.Image:
    """A figure with so many `pixels` in so many `inches`, smooth."""
    stream = BytesIO()
    figure.savefig(stream, dpi=2 * pixels / inches, format="png")
    image = Image.open(stream).convert("RGB")
    return image.resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)


def bodies(trajectory: Trajectory) -> Image.Image | None:
    """The bodies, their arrows and trails at one time, as large as fits; nothing for what has no picture."""
    shown = scene(trajectory)
    if shown.is_empty:
        return None
    figure = Figure(figsize=(4.0, 4.0))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    draw_frame(ax, shown, FRACTION)
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    image = _drawn(figure, 3 * WIDTH[1], 4.0)
    image = ImageOps.expand(image.crop(ImageOps.invert(image).getbbox()), 30, "white")
    return ImageOps.contain(image, (WIDTH[1], WIDTH[1]), Image.Resampling.LANCZOS)


@styled
def draw(name: str, file: Path) -> Path:
    """Run an example, and write its picture."""
    scenario = load_scenario(file)
    if scenario.document.analysis is not None:
        with tempfile.TemporaryDirectory() as folder:
            main_command(["analyse", name, "--out", folder, "--quiet"], standalone_mode=False)
            (drawn,) = Path(folder).glob("*.png")
            images = [ImageOps.contain(Image.open(drawn).convert("RGB"), (sum(WIDTH), WIDTH[0]))]
    elif scenario.document.ensemble is not None:
        images = [picture(build_ensemble(scenario).run().plot("fan"))]
    else:
        trajectory = build_plan(scenario).run()
        known = figures_for(trajectory.system)
        telling = CHOSEN.get(name) or next(figure for figure in TELLING if figure in known)
        images = [picture(FIGURES[telling].draw(trajectory))]
        if (seen := bodies(trajectory)) is not None:
            images.insert(0, seen)
    whole = Image.new("RGB", (sum(WIDTH), max(image.height for image in images)), "white")
    right = whole.width
    for image, width in zip(reversed(images), WIDTH if len(images) > 1 else [whole.width], strict=True):
        whole.paste(image, (right - (width + image.width) // 2, (whole.height - image.height) // 2))
        right -= width
    path = FOLDER / f"{name}.png"
    for colours in (128, 64, 32, 16):
        whole.quantize(colours, kmeans=1).save(path, optimize=True)
        if path.stat().st_size <= LARGEST:
            break
    return path


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    warnings.simplefilter("ignore", RunWarning)
    for name, file in example_scenarios().items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            path = draw(name, file)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
