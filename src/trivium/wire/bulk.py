"""How many objects a body holds, before anything is made of them.

A list of millions of tiny objects takes thirty bytes an object on the wire and a thousand in memory
once each is a value; a limit on bytes alone does not hold that.
"""

import re
from typing import Final

_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
"""Whole strings, and the one that the end cuts."""
_FIRST_BYTES: Final = 1_048_576


def exceeds(body: bytes, objects_max: int) -> bool:
    """Whether JSON holds more objects than that. Garbage may be taken for either.

    HOT: large bodies are long texts and pictures with few braces; only where there are too many of
    them it is looked at which stand inside of strings.
    """
    if len(body) <= objects_max or body.count(b"{") <= objects_max:
        return False
    size = _FIRST_BYTES
    while True:
        # more and more of it, so that a body of nothing but objects is found out early
        if _STRINGS.sub(b"", body[:size]).count(b"{") > objects_max:
            return True
        if size >= len(body):
            return False
        size *= 2
