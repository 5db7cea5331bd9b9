"""Token probabilities between ``logprobsResult`` and the canonical ones.

Bytes are the UTF-8 of the token; token ids are lost.
"""

from collections.abc import Iterable
from typing import Any

from trivium.conversation.events import Delta, Event
from trivium.conversation.parts import TokenLogprob


def read(result: Any) -> tuple[TokenLogprob, ...]:
    """The chosen tokens with the likeliest ones beside each."""
    if not isinstance(result, dict):
        return ()
    chosen = _rows(result.get("chosenCandidates"))
    top = result.get("topCandidates")
    beside = top if isinstance(top, list) else []
    out: list[TokenLogprob] = []
    for at, row in enumerate(chosen):
        others: tuple[TokenLogprob, ...] = ()
        if at < len(beside) and isinstance(beside[at], dict):
            others = tuple(_token(one) for one in _rows(beside[at].get("candidates")))
        token = _token(row)
        out.append(TokenLogprob(token.token, token.logprob, others))
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


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _token(row: dict[str, Any]) -> TokenLogprob:
    value = row.get("logProbability")
    token = row.get("token")
    return TokenLogprob(
        token if isinstance(token, str) else "",
        float(value) if isinstance(value, int | float) else 0.0,
    )


def _row(one: TokenLogprob) -> dict[str, Any]:
    return {"token": one.token, "logProbability": one.logprob}


def attach(value: Any, out: list[Event], before: int) -> None:
    """Probabilities of a chunk's tokens: they belong to the last text it brought."""
    tokens = read(value)
    if not tokens:
        return
    for event in reversed(out[before:]):
        if type(event) is Delta:
            event.logprobs = tokens
            return
