"""Stop sequences for targets that take none, or fewer: the answer is cut where one is said.

A vendor stops as soon as a sequence is complete, so the one whose end comes first counts, and
nothing of it is told. Watched is what a model says in words, part by part; not its reasoning, and
not the arguments of its calls.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.estimate import of_bytes
from trivium.conversation.events import (
    Delta,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    UsageReport,
    spelled,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.parts import Reasoning, Text, TokenLogprob
from trivium.conversation.usage import Usage

SEQUENCES_MAX: Final = 64
"""Sequences of one request that are watched for."""
CHARACTERS_MAX: Final = 4096
"""And characters of all of them: each piece of an answer is searched for every one."""


class Found(NamedTuple):
    """A stop sequence in a text: where it begins, and which it is."""

    start: int
    sequence: str


def first(text: str, stops: Iterable[str]) -> Found | None:
    """Return the sequence that is complete first; of those that end at the same place the longest.
    ``None`` without one.
    """
    best: tuple[int, int, str] | None = None
    for stop in stops:
        start = text.find(stop)
        if start >= 0 and (best is None or (start + len(stop), start) < best[:2]):
            best = (start + len(stop), start, stop)
    return None if best is None else Found(best[1], best[2])


def tail(text: str, stops: Iterable[str]) -> int:
    """Return how many characters at the end of a text may be the beginning of a sequence."""
    longest = 0
    for stop in stops:
        most = min(len(stop) - 1, len(text))
        at = text.find(stop[0], len(text) - most) if most > longest else -1
        # only where its first character stands: every length tried takes a millisecond a read
        while at >= 0 and len(text) - at > longest:
            if stop.startswith(text[at:]):
                longest = len(text) - at
                break
            at = text.find(stop[0], at + 1)
    return longest


def cut(answer: Answer, stops: tuple[str, ...]) -> Answer:
    """Return a whole answer up to the first stop sequence. It was made, and is paid for, to its
    end.
    """
    return msgspec.structs.replace(
        answer, candidates=tuple(_candidate(one, stops) for one in answer.candidates)
    )


def _candidate(candidate: Candidate, stops: tuple[str, ...]) -> Candidate:
    parts: list[Part] = []
    for part in candidate.parts:
        found = first(part.text, stops) if isinstance(part, Text) else None
        if isinstance(part, Text) and found is not None:
            parts.append(_shortened(part, found.start))
            return Candidate(tuple(parts), _stopped(found))
        parts.append(part)
    return candidate


def _shortened(text: Text, size: int) -> Text:
    return msgspec.structs.replace(
        text,
        text=text.text[:size],
        citations=tuple(
            one for one in text.citations if one.start is None or (one.end or 0) <= size
        ),
        logprobs=tuple(_within(deque(text.logprobs), size)),
    )


def _within(tokens: deque[TokenLogprob], size: int) -> Iterator[TokenLogprob]:
    """The tokens that lie within so many characters; they are taken out."""
    while tokens and len(tokens[0].token) <= size:
        token = tokens.popleft()
        size -= len(token.token)
        yield token


def _stopped(found: Found) -> Finish:
    return Finish(Unified.STOP_SEQUENCE, "stop", stop_sequence=found.sequence)


class _Heard:
    """The text of a part that is still arriving, and how much of it is held back."""

    __slots__ = ("text", "tokens")

    def __init__(self) -> None:
        self.text = ""
        self.tokens: deque[TokenLogprob] = deque()


class Cutter:
    """Cuts a streamed answer of one candidate. Feed it all of its events."""

    __slots__ = (
        "_bare",
        "_input",
        "_open",
        "_other",
        "_reasoning",
        "_seen",
        "_stops",
        "_texts",
        "is_cut",
    )

    def __init__(self, stops: tuple[str, ...], input_tokens: int) -> None:
        """``input_tokens``: for the usage of an answer that is over before its vendor counted."""
        self._stops = stops
        self._input = input_tokens
        self._texts: dict[int, _Heard] = {}
        self._open: dict[int, bool] = {}
        """Open parts, and whether they are reasoning."""
        self._bare: set[int] = set()
        """Open calls of functions without arguments so far."""
        self._reasoning = self._other = 0
        """Bytes said so far."""
        self._seen: Usage | None = None
        self.is_cut = False

    @property
    def usage(self) -> Usage:
        """Return what a cut answer used: the counters reported so far, and at least what it
        said.
        """
        seen = self._seen or Usage()
        return msgspec.structs.replace(
            seen,
            fresh=seen.fresh if seen.input_total else self._input,
            output=max(seen.output, of_bytes(self._other)),
            reasoning=max(seen.reasoning, of_bytes(self._reasoning)),
            estimated=True,
        )

    def events(self, events: list[Event]) -> list[Event]:
        """The events of one read, as far as the answer goes."""
        out: list[Event] = []
        for event in spelled(events):
            if self.is_cut:
                break
            if type(event) is Delta:
                self._delta(event, out)
            elif type(event) is PartStart:
                self._start(event)
                out.append(event)
            else:
                self._other_event(event, out)
        return out

    def _start(self, event: PartStart) -> None:
        self._open[event.index] = isinstance(event.part, Reasoning)
        if isinstance(event.part, Text):
            self._texts[event.index] = _Heard()
        elif isinstance(event.part, ToolCall) and event.part.kind is CallKind.FUNCTION:
            self._bare.add(event.index)

    def _other_event(self, event: Event, out: list[Event]) -> None:
        if isinstance(event, PartEnd):
            self._open.pop(event.index, None)
            self._say_rest(event.index, out)
        elif isinstance(event, Failed):
            for index in list(self._texts):
                self._say_rest(index, out)
        elif isinstance(event, UsageReport):
            self._seen = event.usage
        out.append(event)

    def _delta(self, event: Delta, out: list[Event]) -> None:
        size = len(event.text.encode("utf-8", "surrogatepass"))
        if self._open.get(event.index):
            self._reasoning += size
        else:
            self._other += size
        heard = self._texts.get(event.index)
        if heard is None:
            self._bare.discard(event.index)
            out.append(event)
            return
        heard.text += event.text
        heard.tokens += event.logprobs
        found = first(heard.text, self._stops)
        if found is not None:
            self._say(event.index, heard, found.start, out)
            self._end(found, out)
        else:
            kept = tail(heard.text, self._stops)
            self._say(event.index, heard, len(heard.text) - kept, out)

    def _say(self, index: int, heard: _Heard, size: int, out: list[Event]) -> None:
        text, heard.text = heard.text[:size], heard.text[size:]
        if text:
            out.append(Delta(index, text, tuple(_within(heard.tokens, size))))

    def _say_rest(self, index: int, out: list[Event]) -> None:
        heard = self._texts.pop(index, None)
        if heard is not None and heard.text:
            out.append(Delta(index, heard.text, tuple(heard.tokens)))

    def _end(self, found: Found, out: list[Event]) -> None:
        self.is_cut = True
        for index in self._open:
            if index in self._bare:
                out.append(Delta(index, "{}"))
            out.append(PartEnd(index))
        out += (Finished(_stopped(found)), UsageReport(self.usage), Done())
