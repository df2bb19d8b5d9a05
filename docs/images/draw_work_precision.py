"""Draws the figure of the page on work and precision, and writes its table, from what `polhode bench --json` has measured.

python docs/images/draw_work_precision.py
"""

from pathlib import Path

from polhode.bench import Report
from polhode.bench.figure import draw
from polhode.bench.tables import markdown

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "work_precision.md"
BEGIN, END = "<!-- made by docs/images/draw_work_precision.py -->", "<!-- end -->"


def with_table(page: str, text: str) -> str:
    """The page with the text between its two marks replaced."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    report = Report.read(FOLDER / "work_precision.json")
    draw(report).savefig(FOLDER / "work_precision.png", dpi=120)
    PAGE.write_text(with_table(PAGE.read_text(), markdown(report)))
