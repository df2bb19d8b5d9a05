"""The Content-Security-Policy of the pages that polhode writes and serves.

A page that is written may run the scripts and use the styles that polhode put into it, recognised by their hashes, show
images that it holds itself, and nothing else: text from a file that became markup by a mistake would still do nothing.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from html import escape

# what no page needs, whatever else it may do
NOTHING_ELSE = "base-uri 'none'; form-action 'none'; object-src 'none'; frame-src 'none'"

# viser's page unpacks its own program from inside itself, so scripts cannot be listed; no other place may be spoken to
SERVED = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "worker-src 'self' blob:; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' data: blob: ws://{host}; frame-ancestors 'none'; " + NOTHING_ELSE
)

# the program and the styles of a page; data such as the scene, of another type, is never run
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def policy_tag(trusted: str) -> str:
    """The policy as an element for the head of a page, given all the markup of it with scripts and styles to be used.

    >>> policy_tag("<script>go()</script>")[:80]
    '<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;'
    """
    scripts, styles = (" ".join(_hashes(kind, trusted)) or "'none'" for kind in (_SCRIPT, _STYLE))
    policy = f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; {NOTHING_ELSE}"
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'


def _hashes(kind: re.Pattern[str], trusted: str) -> list[str]:
    found = dict.fromkeys(kind.findall(trusted))
    return [f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'" for text in found]
