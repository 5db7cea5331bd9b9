"""Cache marks of a request on its way to the messages shape, which takes four.

Source: prompt caching reference, read on 2026-11-21.
"""

from typing import Any, Final

from trivium.conversation.honesty import Act, Report
from trivium.conversation.marks import marks
from trivium.conversation.members import Concept, lacking
from trivium.conversation.parts import CacheMark
from trivium.conversation.request import Conversation

_LIVES: Final = {"5m": "5m", "1h": "1h", "30m": "1h", "12h": "1h"}
_EXACT: Final = frozenset({"5m", "1h", "30m"})


class Marks:
    """Gives out the marks of one request; of too many the last ones, which cover the most."""

    __slots__ = ("_conversation", "_most", "_report", "_shape", "_skipped")

    def __init__(self, conversation: Conversation, most: int, report: Report) -> None:
        self._report = report
        self._shape = conversation.shape
        self._conversation = conversation
        self._most = most
        self._skipped: int | None = None
        """How many are still to be left out; ``None`` until the first is met."""

    def of(self, mark: CacheMark | None) -> dict[str, Any]:
        """The ``cache_control`` member for a mark; nothing for none and for one too many."""
        if mark is None:
            return {}
        skipped = self._skipped
        if skipped is None:
            # HOT: they are counted where there are any
            skipped = self._skipped = max(0, len(list(marks(self._conversation))) - self._most)
        if skipped:
            self._skipped = skipped - 1
            lacking(self._report, Concept.CACHE_MARK, self._shape, "too many marks")
            return {}
        if mark.ttl is None:
            return {"cache_control": {"type": "ephemeral"}}
        life = _LIVES.get(mark.ttl)
        if mark.ttl not in _EXACT:
            lacking(
                self._report,
                Concept.CACHE_MARK,
                self._shape,
                "cached for another time",
                act=Act.CHANGED,
            )
        if life is None:
            return {"cache_control": {"type": "ephemeral"}}
        return {"cache_control": {"type": "ephemeral", "ttl": life}}
