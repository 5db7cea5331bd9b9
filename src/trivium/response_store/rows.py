"""A kept response as a row and back: compressed, sealed, bound to its owner and id."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from trivium.response_store.items import Pieces
from trivium.response_store.model import SealedResponse, StoredResponse
from trivium.response_store.spooled_input import LentInput
from trivium.storage.structs import struct_of, values_of
from trivium.storage.vault import Vault, VaultError

LEVEL: Final = 1
"""Histories repeat themselves: the cheapest level already leaves a third."""
_PIECE: Final = 65_536

_Body = tuple[bytes, list[bytes]]
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Body).decode


def row_of(kept: StoredResponse, vault: Vault) -> dict[str, Any]:
    """The values of a row."""
    body: bytes | bytearray | None = None
    if type(kept) is SealedResponse:
        body = kept.body
    elif kept.response is not None:
        squeezed = _squeezed([_encode((kept.response, kept.input))])
        body = vault.seal_large(squeezed, _place(kept.user_id, kept.id))
    size = 0 if body is None else len(body)
    return values_of(kept, "response", "input", "items", size_bytes=size, body=body)


def size_of(item: Pieces) -> int:
    """Bytes of an item."""
    return sum(map(len, item))


def compressed(response: bytes, given: Sequence[Pieces]) -> bytearray:
    """The body of a row that is not sealed yet, of items that are nowhere whole: what ``_encode``
    makes of both, piece by piece.
    """
    return _squeezed(_encoded(response, given))


def sealed(kept: StoredResponse, body: bytearray, vault: Vault) -> SealedResponse:
    """A response with what ``compressed`` made of it."""
    place = _place(kept.user_id, kept.id)
    named = {name: getattr(kept, name) for name in StoredResponse.__struct_fields__}
    return SealedResponse(**named, body=vault.seal_large(body, place))


def opened(kept: SealedResponse, vault: Vault) -> StoredResponse:
    """A response as it was before it was sealed. Raises VaultError."""
    return msgspec.structs.replace(kept_of(kept, vault), items=kept.items)


def _encoded(response: bytes, given: Sequence[Pieces]) -> Iterator[bytes | msgspec.Raw]:
    yield b"\x92\xc6" + len(response).to_bytes(4)
    yield response
    yield b"\xdd" + len(given).to_bytes(4)
    for item in given:
        yield b"\xc6" + size_of(item).to_bytes(4)
        for one in item:
            if isinstance(one, LentInput):
                yield from one
            else:
                yield one


def _squeezed(parts: Iterable[bytes | msgspec.Raw]) -> bytearray:
    """These bytes, compressed piece by piece: ``zlib.compress`` has all of them twice."""
    squeeze = zlib.compressobj(LEVEL)
    out = bytearray()
    for part in parts:
        with memoryview(part) as view:
            for at in range(0, len(view), _PIECE):
                out += squeeze.compress(view[at : at + _PIECE])
    out += squeeze.flush()
    return out


def kept_of(row: Any, vault: Vault) -> StoredResponse:
    """The response of a row. Raises VaultError."""
    response: bytes | None = None
    given: list[bytes] = []
    if row.body is not None:
        plain = vault.open(row.body, _place(row.user_id, row.id))
        try:
            response, given = _decode(zlib.decompress(plain))
        except (zlib.error, msgspec.DecodeError) as error:
            raise VaultError(f"a stored response cannot be read: {error}") from None
    return struct_of(StoredResponse, row, response=response, input=tuple(given), items=())


def _place(user_id: int, response_id: str) -> bytes:
    return f"{user_id}/{response_id}".encode()
