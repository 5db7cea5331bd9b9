"""Names of documents as the converse shape demands them: of few characters, each once a request.

The vendor warns that a model may take a name for instructions, and recommends a neutral one.
Sources, read on 2026-11-28: ``DocumentBlock`` of botocore 1.44's model of the service; that a
second document of the same name is refused, and that case makes no difference:
https://github.com/maximhq/bifrost/issues/7003,
https://github.com/aws-samples/sample-strands-agent-with-agentcore/pull/290.
"""

import re
from typing import Final

NEUTRAL: Final = "document"
"""Stands where nobody gave a name, or none of its characters is permitted."""
NAME_MAX: Final = 200
_LOOKED_AT: Final = 1_000
_NUMBERED_MAX: Final = 180
_beyond: Final = re.compile(r"[^A-Za-z0-9()\[\]-]+")


def permitted(name: str) -> str:
    """A name with a blank for every run of characters that the shape does not take."""
    found = _beyond.sub(" ", name[:_LOOKED_AT]).strip()
    return found[:NAME_MAX].strip() or NEUTRAL


class DocumentNames:
    """Gives the documents of one request their names, in order: no two have the same."""

    __slots__ = ("_next", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        """The number that the next document of a name gets."""

    def take(self, name: str) -> str:
        """The name that a document gets whose own is ``name``; empty: it has none."""
        wanted = permitted(name)
        found = wanted
        if found.lower() in self._taken:
            base = wanted[:_NUMBERED_MAX].strip()
            number = self._next.get(base.lower(), 2)
            while (found := f"{base} ({number})").lower() in self._taken:
                number += 1
            self._next[base.lower()] = number + 1
        self._taken.add(found.lower())
        return found
