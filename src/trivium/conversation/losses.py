"""Nothing is lost in silence: every drop and repair of a translation is written down.

Three ranks decide what a member that cannot be carried does to its request
(docs/translation-model.md, "The ladder"). Writers and repairs take one ``Report`` and say what they
leave out; they never decide what follows from it.
"""

from collections.abc import Iterable
from enum import Enum, unique
from typing import Final, NamedTuple

from trivium.faults import Fault, Kind

HEADER_BYTES_MAX: Final = 1024
"""Longest value of a report header; what does not fit is counted at its end."""


@unique
class Rank(Enum):
    """What the caller loses when a member cannot be carried."""

    CONTRACT = "contract"  # the caller's code depends on it: 400, always
    HINT = "hint"  # quality or cost only: dropped and reported; 400 in strict mode
    BOOKKEEPING = "bookkeeping"  # kept for our own records, dropped without a word


@unique
class DropAction(Enum):
    """What was done with a member that cannot be carried."""

    DROPPED = "dropped"
    CHANGED = "changed"  # the nearest the target can do


class Drop(NamedTuple):
    """A member that is left out or changed: of the request towards the target, or of the answer
    towards the caller.
    """

    member: str
    """Path in the caller's own body; ``answer.`` and a name for what an answer said."""
    reason: str
    """Half a sentence for people: ``not taken by this model``."""
    act: DropAction = DropAction.DROPPED


@unique
class Mend(Enum):
    """Kinds of history repair. The first group changes what the model reads."""

    MISSING_RESULT = "missing_result"  # a placeholder stands where a call had no answer
    ORPHAN_RESULT = "orphan_result"  # a result without its call became text
    EMPTY_TURN = "empty_turn"  # a filler stands in a turn that had no content
    CALL_ID = "call_id"  # rewritten on both sides of the pair
    RESULT_ORDER = "result_order"
    EMPTY_TEXT = "empty_text"
    FOREIGN_SIGNATURE = "foreign_signature"
    LOST_STATE = "lost_state"  # what a call's id led to is forgotten
    TOOL_NAME = "tool_name"
    DOCUMENT_NAME = "document_name"
    ARGUMENTS = "arguments"  # no JSON object where the target needs one
    SPELLING = "spelling"  # the same, written as one host of the shape wants it


INVENTED: Final = frozenset({Mend.MISSING_RESULT, Mend.ORPHAN_RESULT, Mend.EMPTY_TURN})
"""Repairs that put words into the history: refused in strict mode."""


class Repair(NamedTuple):
    """One repair of the history."""

    what: Mend
    where: str
    """The call's id, or ``turns[3]``."""


class Report:
    """Everything that one translation left out or repaired. One for each attempt; not shared."""

    __slots__ = ("_kept", "_seen", "drops", "repairs", "strict", "target")

    def __init__(self, target: str, *, strict: bool = False) -> None:
        """``target`` names shape and model for people: ``the messages shape of claude-x``."""
        self.target = target
        self.strict = strict
        self.drops: list[Drop] = []
        self.repairs: list[Repair] = []
        self._kept: dict[str, None] = {}
        self._seen: set[Drop | Repair] = set()

    @property
    def kept(self) -> list[str]:
        """Return the bookkeeping members that were left out; for the request record only."""
        return list(self._kept)

    def drop(
        self, rank: Rank, member: str, reason: str, act: DropAction = DropAction.DROPPED
    ) -> None:
        """Record that a member is not carried. Raises ``Fault`` (UNREPRESENTABLE) where that is a
        400: always for CONTRACT, in strict mode for HINT.
        """
        if rank is Rank.CONTRACT or (rank is Rank.HINT and self.strict):
            raise self.refusal(member, reason)
        self.omit(rank, member, reason, act)

    def omit(
        self, rank: Rank, member: str, reason: str, act: DropAction = DropAction.DROPPED
    ) -> None:
        """Record that something of an answer is left out. Never raises, because the answer is paid
        for by then.
        """
        if rank is Rank.BOOKKEEPING:
            self._kept[member] = None
            return
        found = Drop(member, reason, act)
        if found not in self._seen:
            self._seen.add(found)
            self.drops.append(found)

    def refusal(self, member: str, reason: str) -> Fault:
        """Return the 400 that names the member and the target."""
        return Fault(
            Kind.UNREPRESENTABLE,
            f"{member} cannot be carried to {self.target}: {reason}.",
            param=member,
        )

    def repair(self, what: Mend, where: str) -> None:
        """Record a repair. Raises ``Fault`` (UNREPRESENTABLE) in strict mode if it invents
        words.
        """
        if self.strict and what in INVENTED:
            raise Fault(
                Kind.UNREPRESENTABLE,
                f"The history needs a repair that strict mode forbids: {what.value} at {where}.",
                param=where,
            )
        found = Repair(what, where)
        if found not in self._seen:
            self._seen.add(found)
            self.repairs.append(found)

    def dropped_names(self) -> str:
        """Return the members that were left out, changed or only recorded; empty when there are
        none.
        """
        if not self.drops and not self._kept:
            return ""
        return ", ".join(dict.fromkeys((*(drop.member for drop in self.drops), *self._kept)))

    def dropped_header(self) -> str:
        """Value of ``trivium-dropped``; empty when nothing was."""
        if not self.drops:
            return ""
        return _listed(
            f'{_token(drop.member)};act={drop.act.value};why="{_quoted(drop.reason)}"'
            for drop in self.drops
        )

    def repaired_header(self) -> str:
        """Value of ``trivium-repaired``: kinds with how often; empty when nothing was."""
        if not self.repairs:
            return ""
        counts: dict[str, int] = {}
        for repair in self.repairs:
            counts[repair.what.value] = counts.get(repair.what.value, 0) + 1
        return _listed(f"{what};n={count}" for what, count in counts.items())


def _listed(rows: Iterable[str]) -> str:
    shown: list[str] = []
    size = left = 0
    for row in rows:
        size += len(row) + 2
        if size > HEADER_BYTES_MAX:
            left += 1
        else:
            shown.append(row)
    return ", ".join([*shown, f"more={left}"] if left else shown)


def _token(member: str) -> str:
    """A path as a token: brackets and other marks of paths are no token characters."""
    return "".join(
        char if char in _TOKEN else "_"
        for char in member.replace("[]", "").replace("[", ".").replace("]", "")
    )


def _quoted(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~" and char not in '"\\')


_TOKEN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
