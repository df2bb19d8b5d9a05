"""What the tests of published values share."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.reproduce import Comparison


@pytest.fixture(scope="module")
def rows(request: pytest.FixtureRequest) -> list[Comparison]:
    """The comparisons of the source that the module of the test names as SOURCE."""
    return reproduce.sources()[request.module.SOURCE]()
