"""Names of tools, and of end users, within a target's limits.

Deterministic: a name's short form depends on the name alone, so it is the same on every turn and
in every process, and extending a history never changes it. Two different names never share one:
the short form ends in a digest of the whole name.
"""

import hashlib
import re
from typing import Final

_ALLOWED: Final = re.compile(r"[A-Za-z0-9_-]+")
_REFUSED: Final = re.compile(r"[^A-Za-z0-9_-]")
_DIGEST: Final = 8
_BETWEEN: Final = "__"
"""Stands between a namespace and a name."""
_PERSON_MAX: Final = 64
"""Most characters of ``user`` that OpenAI takes; others take 128. Claude Code sends some 190."""


def qualified(name: str, namespace: str | None) -> str:
    """One flat name for a tool in a namespace."""
    return f"{namespace}{_BETWEEN}{name}" if namespace else name


def short(name: str, limit: int, *, first: bool = False) -> str:
    """A name of at most ``limit`` of ``[A-Za-z0-9_-]``; a name that is one already stays.

    ``first``: it must begin with a letter or underscore.
    """
    begins = not first or name[:1].isalpha() or name[:1] == "_"
    if begins and len(name) <= limit and _ALLOWED.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    clean = _REFUSED.sub("_", name if begins else "_" + name)
    return f"{clean[: limit - _DIGEST - 1]}_{digest}"


def person(name: str) -> str:
    """An end user's name for chat and responses: a longer one as its digest, which tells users
    apart as well.
    """
    if len(name) <= _PERSON_MAX:
        return name
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
