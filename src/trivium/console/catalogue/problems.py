"""What is wrong with an entry, put beside the member it is about. Pure.

The words are those of ``trivium check``, which begin with the place and the name of a setting:
``database: channels["main"].api_key is missing: …``.
"""

import re
from collections.abc import Iterable
from typing import Final

from trivium.catalogue.model import CatalogueKind, EntryName

PROBLEMS_MAX: Final = 50
"""Problems that one page tells."""
_PLACE: Final = re.compile(r"database(?:, version \d+)?: ")
_STEP: Final = re.compile(r"\[(\d+)\]")


def placed(lines: Iterable[str], at: EntryName) -> list[tuple[str, str]]:
    """Each problem with the member it is about, as ``bindings.0.channel``, and its words; the
    member is empty where it is about the entry as a whole, or about another.
    """
    found = []
    for line in lines:
        rest = _PLACE.sub("", line, count=1)
        own = _own(rest, at)
        if own is None:
            found.append(("", line))
            continue
        member, _, words = own.removeprefix(".").partition(" ")
        if at.kind == CatalogueKind.GROUP.value or not words:
            found.append(("", own.strip()))
        else:
            found.append((_STEP.sub(r".\1", member), words))
    return found[:PROBLEMS_MAX]


def _own(line: str, at: EntryName) -> str | None:
    """What follows the entry's own name; ``None``: the line is about something else."""
    if at.kind == CatalogueKind.GROUP.value:
        begins = f"groups.{at.name}"
    elif at.kind == CatalogueKind.ROUTING.value:
        begins = "routing"
    else:
        begins = str(at)
    after = line.removeprefix(begins)
    return after if after != line and after[:1] in (".", " ") else None


def of_document(message: str) -> tuple[str, str]:
    """The same of a document that was refused before anything else was looked at:
    ``headers/x-team: is no reference``.
    """
    member, colon, rest = message.partition(": ")
    if not colon or " " in member:
        return ("name", message) if message.startswith("the name of ") else ("", message)
    return member.replace("/", "."), rest
