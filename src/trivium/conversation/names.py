"""Names of tools, and of end users, within a target's limits; of tools the way back as well.

Deterministic: a name's short form depends on the name alone, so it is the same on every turn and
in every process, and extending a history never changes it. Two different names never share one:
the short form ends in a digest of the whole name.
"""

import hashlib
import re
from typing import Final

from trivium.conversation.tools import CustomTool, FunctionTool, Tool

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


class Names:
    """The names that the tools of one request have at the target, both ways."""

    __slots__ = ("_back", "_first", "_limit", "customs")

    def __init__(
        self, tools: tuple[Tool, ...], limit: int, *, first: bool = False, customs: bool = True
    ) -> None:
        """``customs``: whether the target takes free-text tools as such."""
        self._limit = limit
        self._first = first
        self._back: dict[str, tuple[str, str | None]] = {}
        self.customs: set[str] = set()
        """Target names of free-text tools that travel as functions."""
        for tool in tools:
            if isinstance(tool, FunctionTool | CustomTool):
                out = self.out(tool.name, tool.namespace)
                if out != tool.name or tool.namespace:
                    self._back[out] = (tool.name, tool.namespace)
                if isinstance(tool, CustomTool) and not customs:
                    self.customs.add(out)

    @property
    def changed(self) -> bool:
        """Whether an answer must be restored at all."""
        return bool(self._back or self.customs)

    def out(self, name: str, namespace: str | None = None) -> str:
        """Return the target's name of a tool, also of one that only the history mentions."""
        return short(qualified(name, namespace), self._limit, first=self._first)

    def back(self, name: str) -> tuple[str, str | None]:
        """Return the caller's name and namespace. A name that the model made up stays as it is."""
        return self._back.get(name, (name, None))
