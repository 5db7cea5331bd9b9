"""The header ``Idempotency-Key``, the scope of a key, and what counts as the same request."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.idempotency.model import Place
from trivium.identity.model import Caller
from trivium.uploads.form import Upload
from trivium.uploads.spool import BLOCK_BYTES

HEADER: Final = b"idempotency-key"
NAME: Final = "Idempotency-Key"
CHARS_MAX: Final = 255
"""As at Stripe (docs.stripe.com/api/idempotent_requests, read 2026-11-28)."""
APART_BYTES: Final = 262_144
"""A body beyond this is digested beside the event loop."""
_PRINTABLE: Final = re.compile(rb"[ -~]{1,%d}" % CHARS_MAX)
_OWN_KEY: Final = b"key="
"""The query parameter in which a gateway key may come: it says who asks, not what."""


def checked(values: Sequence[bytes]) -> bytes:
    """The key of a request. Raises ``Fault`` (INVALID_VALUE) naming the header."""
    if len(set(values)) != 1:  # said twice, by a client and by its proxy, it is one key
        raise Fault(
            Kind.INVALID_VALUE,
            f"`{NAME}` came {len(values)} times with different values; send one.",
            param=NAME,
        )
    if _PRINTABLE.fullmatch(values[0]) is None:
        raise Fault(
            Kind.INVALID_VALUE,
            f"`{NAME}` must be 1 to {CHARS_MAX} printable ASCII characters, such as a UUID.",
            param=NAME,
        )
    return values[0]


def other_body(key: bytes) -> Fault:
    """The fault of a key that was used for another request.

    Not 409, which the SDKs of OpenAI and Anthropic take for a reason to ask again.
    """
    return Fault(
        Kind.INVALID_VALUE,
        f"The `{NAME}` {key.decode('ascii')!r} was used for another request: its method, path or "
        "body was not this one. Use a new key for a new request.",
        param=NAME,
        code="idempotency_key_reused",
        status=422,
        retry=False,
    )


def place_of(caller: Caller, key: bytes) -> Place:
    """Where the answer to a key is kept.

    All keys of one owner share it that spend for the same team, or for none, and may use the same
    models; what an application was given by its users shares with nothing else.
    """
    lists = [(caller.models, caller.prefixes), *caller.narrowed]
    models = [[sorted(names), sorted(prefixes)] for names, prefixes in lists]
    whose = (caller.team_id, caller.grant_id, caller.strict)
    scope = msgspec.json.encode((*whose, models)) + b"\n"
    return Place(caller.user_id, hashlib.sha256(scope + key).hexdigest())


async def body_digest(
    method: str, path: bytes, query: bytes, body: bytes, upload: Upload | None
) -> str:
    """A digest of what is asked: of a form its parts, as every try of a client draws another
    boundary. Headers do not count. Raises ``Fault`` when an uploaded file cannot be read.
    """
    asked = b"&".join(pair for pair in query.split(b"&") if not pair.startswith(_OWN_KEY))
    digest = hashlib.sha256(b"%b %b?%b\n" % (method.encode(), path, asked))
    if upload is not None:
        await upload.ready()
        for part in upload.parts:
            named = (part.name, part.filename or "", part.content_type)
            for text in named:
                data = text.encode("utf-8", "surrogatepass")
                digest.update(b"%d:%b" % (len(data), data))
            digest.update(b"%d:%d:%b" % (part.is_file, len(part.value), part.value))
            digest.update(b"%d:" % part.size)
            at = 0
            while part.is_file and at < part.size:
                data = await upload.read(part, at, BLOCK_BYTES)
                if not data:
                    break
                digest.update(data)
                at += len(data)
    elif len(body) > APART_BYTES:
        await asyncio.to_thread(digest.update, body)
    else:
        digest.update(body)
    return digest.hexdigest()
