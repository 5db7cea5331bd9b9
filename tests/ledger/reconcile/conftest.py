"""Answers as the gateway records and books them."""

import pytest
from sqlalchemy import insert

from trivium.storage.schema.core import entries
from trivium.storage.schema.requests import records

NEW_YEAR = 1_798_761_600
"""2027-01-01."""

EMPTY = {
    **dict.fromkeys(("operation", "fault", "end_user"), ""),
    **dict.fromkeys(("status", "attempts", "total_us", "bytes_in", "bytes_out"), 0),
    **dict.fromkeys(("cache_read", "cache_write_short", "cache_write_long"), 0),
    **dict.fromkeys(("output", "reasoning", "audio_input", "audio_output"), 0),
    **dict.fromkeys(("image_input", "image_output"), 0),
    "stream": False,
}


async def answered(database, request_id, *, at=NEW_YEAR, channel="main", model="gpt-5", **counts):
    """A request record."""
    row = {**EMPTY, "request_id": request_id, "at_ms": at * 1000, "channel": channel}
    row |= {"model": "public", "upstream_model": model, "fresh": 0, **counts}
    async with database.write() as conn:
        await conn.execute(insert(records), [row])


async def charged(database, request_id, nanos, detail="", *, at=NEW_YEAR, user_id=1):
    """The usage entry of a request."""
    row = {"user_id": user_id, "kind": "usage", "amount_nanos": -nanos, "note": ""}
    row |= {"request_id": request_id, "created_at": at, "detail": detail}
    async with database.write() as conn:
        await conn.execute(insert(entries), [row])


@pytest.fixture
def user(database, clock):
    """Makes the user with the id 1."""
    from trivium.identity.service import Identity

    async def make():
        return (await Identity(database, clock).create_user("ada", "ada@example.com")).id

    return make
