"""The gallery of all examples, with the pictures that `docs/images/draw_gallery.py` draws."""

from __future__ import annotations

import ast
from pathlib import Path

GALLERY = """# Gallery

Every example that comes with polhode: the bodies at one time, with their trails and momenta, and a figure of the whole run.
The command below each picture makes the result, all its figures, and a report in which the bodies move; `polhode examples
NAME` prints the scenario. `python docs/images/draw_gallery.py` draws the pictures again.

{scenarios}

## Scripts

{scripts}
"""


def gallery_page() -> str:
    """The page of all examples."""
    from polhode.io.scenario.document import load_scenario
    from polhode.io.scenario.examples import example_scenarios

    scenarios = []
    for name, file in example_scenarios().items():
        document = load_scenario(file).document
        command = "ensemble" if document.ensemble else "analyse" if document.analysis else "run"
        scenarios.append(
            f"## {document.title}\n\n![{document.title}](../images/gallery/{name}.png)\n\n```sh\npolhode {command} {name}\n```\n\n{document.description}"
        )
    folder = Path(__file__).resolve().parents[2] / "examples"
    scripts = []
    for file in sorted(folder.glob("*.py")):
        first = (ast.get_docstring(ast.parse(file.read_text())) or "").splitlines()[0]
        scripts.append(f"{first}\n\n```sh\npython examples/{file.name}\n```")
    return GALLERY.format(scenarios="\n\n".join(scenarios), scripts="\n\n".join(scripts))
