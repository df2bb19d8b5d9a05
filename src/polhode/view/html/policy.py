"""The Content-Security-Policy of the pages that polhode writes and serves with everything in them.

A page that is written may run the scripts and use the styles that polhode put into it, recognised by their hashes, show
images that it holds itself, and nothing else: text from a file that became markup by a mistake would still do nothing.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

# what no page needs, whatever else it may do
NOTHING_ELSE = "base-uri 'none'; form-action 'none'; object-src 'none'; frame-src 'none'"

# the program and the styles of a page; data such as the scene, of another type, is never run
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def policy(trusted: str) -> str:
    """The policy of a page, given all the markup of it with scripts and styles to be used.

    >>> policy("<script>go()</script>")[:39]
    "default-src 'none'; script-src 'sha256-"
    """
    scripts, styles = (" ".join(_hashes(kind, trusted)) or "'none'" for kind in (_SCRIPT, _STYLE))
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; {NOTHING_ELSE}"


def _hashes(kind: re.Pattern[str], trusted: str) -> list[str]:
    found = dict.fromkeys(kind.findall(trusted))
    return [f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'" for text in found]
