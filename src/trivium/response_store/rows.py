"""A kept response as a row and back: compressed, sealed, bound to its owner and id."""

import zlib
from typing import Any, Final

import msgspec

from trivium.response_store.model import StoredResponse
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
    body = None
    if kept.response is not None:
        body = vault.seal_large(_compressed(kept), _place(kept.user_id, kept.id))
    size = 0 if body is None else len(body)
    return values_of(kept, "response", "input", "items", size_bytes=size, body=body)


def _compressed(kept: StoredResponse) -> bytearray:
    """The body of a row, made piece by piece: ``zlib.compress`` has all of it twice."""
    squeeze = zlib.compressobj(LEVEL)
    out = bytearray()
    with memoryview(_encode((kept.response, kept.input))) as plain:
        for at in range(0, len(plain), _PIECE):
            out += squeeze.compress(plain[at : at + _PIECE])
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
