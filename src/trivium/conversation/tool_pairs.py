"""Tool calls and results, paired: ids that every shape takes, results right after their calls.

Everything here depends on what stands earlier in the history only, so a history that grows by an
answer and a new turn keeps the bytes it already had. A *round* is an assistant turn and what
follows it up to the next one: results are looked for nowhere else.
"""

import base64
import hashlib
import re
from typing import Final

import msgspec

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.parts import Text

MISSING: Final = "[No result was given for this call.]"
"""Stands where a call was never answered."""

_PAIRED: Final = frozenset({ToolCall, ToolResult})
_ASSISTANT: Final = Role.ASSISTANT
_USER: Final = Role.USER
_FITS: Final = re.compile(r"[A-Za-z0-9_-]+")


def minted(seed: str, exactly: int | None = None) -> str:
    """An id that every shape takes, the same for the same seed: 29 of ``[a-z2-7_]``.

    ``exactly`` so many letters and digits where a target asks for that, at most 52.
    """
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    text = base64.b32encode(digest).decode().lower()
    return "call_" + text[:24] if exactly is None else text[:exactly]


class _Ids:
    """Target ids of calls, unique over the history."""

    __slots__ = ("_exactly", "_limit", "_report", "_times", "_used")

    def __init__(self, limit: int, report: Report, *, exact: bool) -> None:
        self._limit = limit
        self._exactly = limit if exact else None
        self._report = report
        self._used: set[str] = set()
        self._times: dict[str, int] = {}

    def of(self, call: ToolCall, turn: int, part: int) -> str:
        """Return the target's id of one call. A valid id that no earlier call had stays byte for
        byte.
        """
        times = self._times.get(call.id, 0)
        self._times[call.id] = times + 1
        found = call.id
        if not found:
            found = minted(f"{turn}.{part}.{call.name}", self._exactly)
        elif not self._fits(found) or found in self._used:
            found = minted(f"{call.id}\0{times}", self._exactly)
            self._report.repair(Mend.CALL_ID, call.id)
        while found in self._used:
            found = minted(found, self._exactly)
        self._used.add(found)
        return found

    def _fits(self, found: str) -> bool:
        if self._exactly is not None:
            return len(found) == self._exactly and found.isascii() and found.isalnum()
        return len(found) <= self._limit and _FITS.fullmatch(found) is not None


def paired(
    turns: tuple[Turn, ...], id_max: int, report: Report, *, exact: bool = False
) -> tuple[Turn, ...]:
    """The history with every call answered once, at once, in order.

    Ids are rewritten on both sides where they are too long, of other characters, doubled or
    absent. A result pairs with the first unanswered call of its id (or of its name, where one of
    the two has no id) in its own round. Results come first in the user turn after their calls. A
    call without a result gets a placeholder once the history has gone on; a result without a call
    becomes text. Neighbouring turns must have been joined. ``exact``: ids have ``id_max``
    letters and digits, no fewer and nothing else.
    """
    if not _has_calls(turns):
        return turns
    ids = _Ids(id_max, report, exact=exact)
    out: list[Turn] = []
    at = 0
    while at < len(turns):
        heard = at
        while heard < len(turns) and turns[heard].role is _ASSISTANT:
            heard += 1
        end = heard
        while end < len(turns) and turns[end].role is not _ASSISTANT:
            end += 1
        asked: dict[str, ToolCall] = {}
        out.extend(_named(turns[one], one, ids, asked) for one in range(at, heard))
        out.extend(_answered(turns[heard:end], heard, asked, report))
        at = end
    return tuple(out)


def _has_calls(turns: tuple[Turn, ...]) -> bool:
    for turn in turns:
        for part in turn.parts:
            if type(part) in _PAIRED:
                return True
    return False


def _named(turn: Turn, at: int, ids: _Ids, asked: dict[str, ToolCall]) -> Turn:
    """An assistant turn with its calls' target ids, which are noted beside the calls."""
    parts: list[Part] = []
    for place, part in enumerate(turn.parts):
        if type(part) is ToolCall:
            found = ids.of(part, at, place)
            asked[found] = part
            parts.append(part if found == part.id else msgspec.structs.replace(part, id=found))
        else:
            parts.append(part)
    return msgspec.structs.replace(turn, parts=tuple(parts))


def _answered(
    after: tuple[Turn, ...], at: int, asked: dict[str, ToolCall], report: Report
) -> list[Turn]:
    """What follows the calls of one round, their results first."""
    if not after:
        return []
    answers, rests = _sorted(after, asked, report)
    given = tuple(answers[call] for call in asked if call in answers)
    if after[0].parts[: len(given)] != given:
        report.repair(Mend.RESULT_ORDER, f"turns[{at}]")
    results: list[Part] = []
    for found, call in asked.items():
        answer = answers.get(found)
        if answer is None:
            report.repair(Mend.MISSING_RESULT, call.id or call.name)
            answer = ToolResult(found, (Text(MISSING),), error=True)
        results.append(
            msgspec.structs.replace(answer, call_id=found, name=call.name, kind=call.kind)
        )
    out: list[Turn] = []
    if results and after[0].role is not _USER:
        out.append(Turn(_USER, tuple(results)))
    for turn, rest in zip(after, rests, strict=True):
        if turn is after[0] and turn.role is _USER:
            out.append(msgspec.structs.replace(turn, parts=(*results, *rest)))
        elif rest or not turn.parts:
            out.append(msgspec.structs.replace(turn, parts=rest))
    return out


def _sorted(
    after: tuple[Turn, ...], asked: dict[str, ToolCall], report: Report
) -> tuple[dict[str, ToolResult], list[tuple[Part, ...]]]:
    """The results by target id of their call, and what each turn has besides."""
    open_ = _Open(asked)
    answers: dict[str, ToolResult] = {}
    rests: list[tuple[Part, ...]] = []
    for turn in after:
        rest: list[Part] = []
        for part in turn.parts:
            if type(part) is not ToolResult:
                rest.append(part)
            elif (call := open_.take(part)) is None:
                rest.extend(_orphan(part, report))
            else:
                answers[call] = part
        rests.append(tuple(rest))
    return answers, rests


class _Open:
    """The calls of one round that wait for their results, found by id and by name."""

    __slots__ = ("_asked", "_ids", "_left", "_nameless", "_names")

    def __init__(self, asked: dict[str, ToolCall]) -> None:
        """``asked``: by target id, in order."""
        self._asked = asked
        self._left = set(asked)
        self._ids: dict[str, list[str]] = {}
        """By their own id, the last first, as in the other two."""
        self._names: dict[str, list[str]] | None = None
        """By name; ``None``: no result was without an id so far."""
        self._nameless: dict[str, list[str]] = {}
        """By name, those without an id of their own."""
        for found, call in reversed(asked.items()):
            self._ids.setdefault(call.id, []).append(found)
            if not call.id:
                self._nameless.setdefault(call.name, []).append(found)

    def take(self, result: ToolResult) -> str | None:
        """Return the target's id of the call that a result answers, which then no longer waits."""
        found = self._first(self._ids.get(result.call_id)) if result.call_id else None
        if found is None:
            named = self._nameless if result.call_id else self._by_name()
            found = self._first(named.get(result.name or ""))
        if found is not None:
            self._left.discard(found)
        return found

    def _by_name(self) -> dict[str, list[str]]:
        if self._names is None:
            self._names = {}
            for found, call in reversed(self._asked.items()):
                self._names.setdefault(call.name, []).append(found)
        return self._names

    def _first(self, found: list[str] | None) -> str | None:
        """Return the first call that still waits; those before it never will again."""
        while found and found[-1] not in self._left:
            found.pop()
        return found[-1] if found else None


def _orphan(result: ToolResult, report: Report) -> tuple[Part, ...]:
    """Return a result that answers no call, as text with its media."""
    called = result.name or result.call_id or "unnamed"
    report.repair(Mend.ORPHAN_RESULT, result.call_id or result.name)
    what = "Error" if result.error else "Result"
    return (Text(f"[{what} of a tool call that is not in this history: {called}]"), *result.parts)
