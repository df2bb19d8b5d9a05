"""How Sphinx builds the documentation; CONTRIBUTING.md says why it is Sphinx. The steps of the build are in `extensions/`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
SOURCES = DOCS.parent / "src"
sys.path[:0] = [str(DOCS / "extensions"), str(SOURCES)]

from polhode._version import __version__  # noqa: E402

project = "polhode"
author = "The polhode developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "formulas",
    "docstrings",
    "made_pages",
    "outputs",
]
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
root_doc = "index"
nitpicky = False  # links of pages are always checked; names of types in signatures need not have a page

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Array", "Controller", "Estimator", "InertiaLike")}
python_maximum_signature_line_length = 88
autodoc_default_options = {"members": True}
add_module_names = False

html_theme = "furo"
html_title = "polhode"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["pages.css"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: Any) -> None:
    """Make every page again when the code has changed: pages show what it prints."""
    from outputs import code_digest

    app.add_config_value("code_digest", code_digest(), "env")
