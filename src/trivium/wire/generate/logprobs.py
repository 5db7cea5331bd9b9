"""Token probabilities between ``logprobsResult`` and the canonical ones.

Bytes are the UTF-8 of the token; token ids are lost.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.events import Delta, Event
from trivium.conversation.parts import TokenLogprob
from trivium.conversation.shape_capabilities import Loss
from trivium.wire import caps, json_size
from trivium.wire.generate.answer_structs import Likely, LikelyResult
from trivium.wire.lenient import decoded
from trivium.wire.unknown_members import Tell

_OBJECTS_MAX: Final = 2 * caps.PROBABILITIES_MAX
"""Each has its three members, which count for one and a half."""

_result: Final = msgspec.json.Decoder(LikelyResult).decode


def read(raw: msgspec.Raw, unread: Tell) -> tuple[TokenLogprob, ...]:
    """The chosen tokens with the likeliest ones beside each; none of what cannot be read.

    None where there are too many to be made in one turn of the loop: ``unread`` is told.
    """
    if len(raw) > _OBJECTS_MAX and json_size.exceeds(bytes(raw), _OBJECTS_MAX):
        unread("logprobs", Loss.UNKNOWN)
        return ()
    if (result := decoded(_result, raw)) is None:
        return ()
    chosen = [one for one in result.chosenCandidates or () if one is not None]
    top = result.topCandidates or []
    count = len(chosen) + sum([len(one.candidates or ()) for one in top if one is not None])
    if count > caps.PROBABILITIES_MAX:
        unread("logprobs", Loss.UNKNOWN)
        return ()
    out: list[TokenLogprob] = []
    for at, one in enumerate(chosen):
        beside = top[at] if at < len(top) else None
        others = () if beside is None else _rivals(beside.candidates or ())
        out.append(TokenLogprob(_token(one), _logprob(one), others))
    return tuple(out)


def written(tokens: Iterable[TokenLogprob]) -> dict[str, Any] | None:
    """The object; ``None`` for no tokens."""
    rows = list(tokens)
    if not rows:
        return None
    out: dict[str, Any] = {"chosenCandidates": [_row(one) for one in rows]}
    if any(one.top for one in rows):
        out["topCandidates"] = [{"candidates": [_row(other) for other in one.top]} for one in rows]
    return out


def _rivals(rows: Sequence[Likely | None]) -> tuple[TokenLogprob, ...]:
    return tuple([TokenLogprob(_token(one), _logprob(one)) for one in rows if one is not None])


def _token(one: Likely) -> str:
    return one.token if isinstance(one.token, str) else ""


def _logprob(one: Likely) -> float:
    value = one.logProbability
    return float(value) if isinstance(value, int | float) else 0.0


def _row(one: TokenLogprob) -> Likely:
    return Likely(one.token, one.logprob)


def attach(raw: msgspec.Raw, out: list[Event], before: int, unread: Tell) -> None:
    """Probabilities of a chunk's tokens: they belong to the last text it brought."""
    tokens = read(raw, unread)
    if not tokens:
        return
    for event in reversed(out[before:]):
        if type(event) is Delta:
            event.logprobs = tokens
            return
