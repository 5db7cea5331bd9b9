"""Going on where a vendor paused, for callers whose shape has no word for a pause.

A messages vendor pauses the loop of its own tools (``pause_turn``) and goes on when it is sent what
it said; a generate vendor ends with ``CONTINUATION`` and a token to be sent back. Callers of that
shape do so themselves. For all others the same channel is asked again, and the rounds are one
answer: their parts in order, their usage added up.

What was held for a request is the most that one round of it may cost. A further round is asked for
when what the rounds before it came to, and the most that the next may cost, are held as well: what
is missing is taken from what the worker has leased of the account, and from the key's budgets. That
takes no time, since the answer has begun. What cannot be had so ends the answer as it stands.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.assemble import Assembler
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.request import Conversation
from trivium.conversation.tools import CustomTool, FunctionTool
from trivium.conversation.usage import Usage, added
from trivium.ledger.cost import cost
from trivium.ledger.unreported_usage import is_believable
from trivium.pipeline.request_context import RequestContext
from trivium.wire.operation import Shape

Affords: TypeAlias = Callable[[Usage | None, int, int | None], bool]
"""(usage of the rounds so far, bytes of the next request, its limit on the output): whether the
caller can pay for it."""
ROUNDS_MAX: Final = 8
"""Times that one answer is gone on with: a vendor pauses after some ten calls of its tools."""

_GENERATE: Final = Shape.GENERATE
_MESSAGES: Final = Shape.MESSAGES
_PAUSED: Final = Unified.PAUSED
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode


class Continue(Exception):  # noqa: N818 - no error: the vendor is to be asked again
    """The answer is not whole: the same channel is to be sent ``body``."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body
        self.rest = b""
        """Frames for the caller with which the round ended."""


def may_pause(spoken: Conversation, shape: Shape) -> bool:
    """Whether an upstream of this shape may pause where its caller cannot go on."""
    if shape is _GENERATE:
        return spoken.shape != "generate" and (spoken.candidates or 1) == 1
    if shape is not _MESSAGES or spoken.shape == "messages":
        return False
    return bool(spoken.tools) and not all(
        isinstance(tool, FunctionTool | CustomTool) for tool in spoken.tools
    )


class Rounds:
    """The rounds of one answer."""

    __slots__ = (
        "_affords",
        "_assembler",
        "_base",
        "_body",
        "_finish",
        "_left",
        "_next",
        "_parts",
        "_resends",
        "_seen",
        "_spoken",
        "_write",
        "used",
    )

    def __init__(
        self,
        spoken: Conversation,
        shape: Shape,
        write: Callable[[Conversation], bytes],
        affords: Affords = lambda *_: True,
    ) -> None:
        """``shape``: the upstream's. ``write``: the body of a conversation for it, which may end
        with what the vendor has said.
        """
        self._affords = affords
        self._body = b""
        """Of the next round."""
        self._spoken = spoken
        self._write = write
        self._resends = shape is _MESSAGES
        """Whether the vendor wants what it said, and not a token."""
        self._left = ROUNDS_MAX
        self._parts: tuple[Part, ...] = ()
        self._assembler = Assembler() if self._resends else None
        """Of what the vendor wants again."""
        self._finish: Finish | None = None
        """Of a streamed round that paused."""
        self._base = 0
        """Index of this round's first part."""
        self._next = 0
        self._seen: Usage | None = None
        """The last usage of this round."""
        self.used: Usage | None = None
        """By the rounds before this one."""

    def whole(self, answer: Answer) -> Answer:
        """The answer with what was said before it. Raises ``Continue`` where it goes on."""
        first, *others = answer.candidates
        if first.finish.unified is not _PAUSED and self._left == ROUNDS_MAX:
            return answer
        parts = self._parts + first.parts
        used = added(self.used, answer.usage)
        if not others and self._goes_on(first.finish, parts, used):
            self._parts, self.used = parts, used
            raise Continue(self._body)
        return msgspec.structs.replace(
            answer, candidates=(Candidate(parts, first.finish), *others), usage=used
        )

    def events(self, events: list[Event]) -> list[Event]:
        """More of this round as more of the one answer; its end is left out if it goes on."""
        if self._resends or self._base or not events or type(events[-1]) is Done:
            for event in events:
                if isinstance(event, Start | UsageReport):
                    self._seen = event.usage  # one may stand behind the end that depends on it
            out = []
            for event in events:
                told = self._told(event)
                if told is not None:
                    out.append(told)
                    if self._assembler is not None:
                        self._assembler.feed((told,))
            return out
        # of a first round that may end with a token only its last index is of interest
        last = events[-1]
        if isinstance(last, PartStart | Delta | Deltas | Cited | PartEnd):
            self._next = max(self._next, last.index + 1)
        return events

    def more(self) -> Continue | None:
        """How the streamed round that just ended goes on; ``None``: it does not."""
        finish, self._finish = self._finish, None
        if finish is None:
            return None
        self.used = added(self.used, self._seen)
        self._seen = None
        self._base = self._next
        self._parts = self._said()
        return Continue(self._body)

    def _told(self, event: Event) -> Event | None:
        if isinstance(event, PartStart | Delta | Deltas | Cited | PartEnd):
            if self._base:
                event = msgspec.structs.replace(event, index=self._base + event.index)
            self._next = max(self._next, event.index + 1)
        elif isinstance(event, UsageReport):
            return UsageReport(added(self.used, event.usage) or event.usage)
        elif isinstance(event, Finished) and event.finish.unified is _PAUSED and self._left:
            # a vendor chooses how many candidates end: only for a pause is all of it looked at
            used = added(self.used, self._seen)
            if self._goes_on(event.finish, self._said(), used):
                self._finish = event.finish
                return None
        elif isinstance(event, Start):
            return None if self._next else event
        elif isinstance(event, Done) and self._finish is not None:
            return None
        return event

    def _said(self) -> tuple[Part, ...]:
        return () if self._assembler is None else tuple(self._assembler.parts)

    def _goes_on(self, finish: Finish, parts: tuple[Part, ...], used: Usage | None) -> bool:
        if finish.unified is not _PAUSED or not self._left or not (self._resends or finish.token):
            return False
        limit = self._spoken.output_max
        if limit is not None:
            limit -= used.output_total if used else 0
            if limit <= 0:
                return False
        body = self._written(finish, parts, limit)
        if not self._affords(used, len(body), limit):
            return False
        self._body = body
        self._left -= 1
        return True

    def _written(self, finish: Finish, parts: tuple[Part, ...], limit: int | None) -> bytes:
        spoken = msgspec.structs.replace(self._spoken, output_max=limit)
        if self._resends:
            said = Turn(Role.ASSISTANT, parts)
            return self._write(msgspec.structs.replace(spoken, turns=(*spoken.turns, said)))
        members = _members(self._write(spoken))
        return _encode({**members, "continuationToken": finish.token})


def hold_continuation(
    context: RequestContext, used: Usage | None, size: int, output_max: int | None
) -> bool:
    """Hold what another round needs; ``False``: the account or a budget of the key has it not.

    ``used``: by all rounds so far. ``size``: bytes of the next request; ``output_max``: its limit.
    """
    hold, caller, model, facts = context.hold, context.exchange.caller, context.model, context.facts
    if hold is None or hold.quote.tariff is None:
        return True
    assert caller is not None
    assert model is not None
    assert facts is not None
    ledger = context.services.ledger
    facts = msgspec.structs.replace(facts, output_max=output_max)
    needed = ledger.quote(caller, model, context.operation, facts, size).amount_nanos
    if used is not None and is_believable(used):
        needed += cost(hold.quote.tariff, used)[0]
    missing = needed - hold.amount_nanos
    if missing <= 0:
        return True
    extended = ledger.extend(hold, missing)
    if extended is None:
        return False
    context.hold = extended
    return True
