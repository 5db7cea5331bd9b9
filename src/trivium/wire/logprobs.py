"""Probabilities of tokens, as the chat and responses shapes spell them, both ways.

An answer of four thousand tokens with twenty rivals each has 84,000 of them: each is made once,
and none of them is a dict. Source: OpenAI's API reference, chat completions and responses,
``logprobs``, read 2026-11-21.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from trivium.conversation.parts import TokenLogprob
from trivium.conversation.shape_capabilities import Loss
from trivium.wire import caps, json_size
from trivium.wire.answer_structs import Chosen, Rival, TokenEntry
from trivium.wire.codec import unheeded
from trivium.wire.unknown_members import Tell

_OBJECTS_MAX: Final = 2 * caps.PROBABILITIES_MAX
"""Each is an object with an array in it."""
_NOTHING: Final = frozenset({b"", b"null", b"[]"})
_LONGEST: Final = max(map(len, _NOTHING))

_decode: Final = msgspec.json.Decoder(list[TokenEntry]).decode


def read(raw: msgspec.Raw, unread: Tell = unheeded) -> tuple[TokenLogprob, ...]:
    """Canonical ones of a list of rows; none of what cannot be read.

    None either where there are too many to be made in one turn of the loop: ``unread`` is told.
    """
    if len(raw) <= _LONGEST and bytes(raw) in _NOTHING:
        return ()
    if len(raw) > _OBJECTS_MAX and json_size.exceeds(bytes(raw), _OBJECTS_MAX):
        unread("logprobs", Loss.UNKNOWN)
        return ()
    try:
        entries = _decode(raw)
    except (ValueError, RecursionError):
        return ()
    return tuple(
        [
            TokenLogprob(
                one.token,
                one.logprob,
                _rivals(one.top_logprobs) if one.top_logprobs else (),
                _bytes(one.bytes, one.token),
            )
            for one in entries
        ]
    )


def _rivals(entries: list[TokenEntry]) -> tuple[TokenLogprob, ...]:
    try:
        # HOT: twenty of them stand beside each token: 9.7 -> 7.3 ms for 28,000 (2026-11-28)
        return tuple(
            [
                TokenLogprob(
                    one.token,
                    one.logprob,
                    (),
                    None
                    if one.bytes is None or (data := bytes(one.bytes)) == one.token.encode()
                    else data,
                )
                for one in entries
            ]
        )
    except ValueError:  # one of them has bytes that are none
        return tuple(
            [
                TokenLogprob(one.token, one.logprob, (), _bytes(one.bytes, one.token))
                for one in entries
            ]
        )


def _bytes(codes: list[int] | None, token: str) -> bytes | None:
    try:
        found = None if codes is None else bytes(codes)
    except ValueError:
        return None
    return None if found == token.encode("utf-8", "replace") else found


def written(found: Iterable[TokenLogprob]) -> list[Chosen]:
    """Rows to be encoded; rivals have none of their own."""
    return [
        Chosen(
            one.token,
            one.logprob,
            tuple(one.token.encode() if one.data is None else one.data),
            [
                Rival(
                    top.token,
                    top.logprob,
                    tuple(top.token.encode() if top.data is None else top.data),
                )
                for top in one.top
            ],
        )
        for one in found
    ]
