"""Records become rows that fit, whatever callers and vendors put into them."""

import msgspec
import pytest
from sqlalchemy import text

from storage.rescans import row_by_row
from trivium.conversation.usage import Usage
from trivium.observe import store
from trivium.observe.record import Record

USAGE = Usage(
    fresh=1,
    cache_read=2,
    cache_write_short=3,
    cache_write_long=4,
    output=5,
    reasoning=6,
    audio_input=7,
    audio_output=8,
    image_input=9,
    image_output=10,
    seconds=1.5,
    characters=12,
    requests=13,
    estimated=True,
)
FULL = Record(
    request_id="r1",
    at=1_790_000_000.25,
    key_id=1,
    user_id=2,
    operation="chat",
    model="m",
    channel="c",
    upstream_model="u",
    status=200,
    fault="",
    stream=True,
    attempts=2,
    first_byte_ms=0.75,
    total_ms=12.5,
    bytes_in=100,
    bytes_out=200,
    usage=USAGE,
    end_user="e",
    dropped="temperature",
    repaired="call_id;n=2",
    asked_model="big",
    session="s",
    tags=("a", "b"),
    failed=(("c", "timeout"), ("d", "upstream_broke")),
)


async def stored(database, *records):
    """Rows as the database has them, in the order of their ids."""
    async with database.write() as conn:
        await store.insert(conn, [store.row_of(record) for record in records])
    return await rows(database)


async def rows(database):
    async with database.read() as conn:
        found = await conn.execute(text("SELECT * FROM records ORDER BY request_id"))
        return [dict(row) for row in found.mappings()]


@pytest.mark.asyncio
async def test_every_field_has_its_column(database):
    """Times become integers of their unit, the usage is spread over columns."""
    [row] = await stored(database, FULL)
    assert {
        "request_id": "r1",
        "at_ms": 1_790_000_000_250,
        "key_id": 1,
        "user_id": 2,
        "operation": "chat",
        "model": "m",
        "channel": "c",
        "upstream_model": "u",
        "status": 200,
        "fault": "",
        "stream": True,
        "attempts": 2,
        "first_byte_us": 750,
        "total_us": 12_500,
        "bytes_in": 100,
        "bytes_out": 200,
        "end_user": "e",
        "fresh": 1,
        "cache_read": 2,
        "cache_write_short": 3,
        "cache_write_long": 4,
        "output": 5,
        "reasoning": 6,
        "audio_input": 7,
        "audio_output": 8,
        "image_input": 9,
        "image_output": 10,
        "duration_ms": 1500,
        "characters": 12,
        "requests": 13,
        "estimated": True,
        "dropped": "temperature",
        "repaired": "call_id;n=2",
        "asked_model": "big",
        "session": "s",
        "tags": '["a","b"]',
        "failed": '[["c","timeout"],["d","upstream_broke"]]',
    } == row


PLAIN = msgspec.structs.replace(
    FULL,
    request_id="r2",
    end_user="",
    fault="",
    dropped="",
    repaired="",
    asked_model="",
    session="",
    tags=(),
    failed=(),
    usage=Usage(
        fresh=1, cache_read=2, cache_write_short=3, cache_write_long=4, output=5, reasoning=6
    ),
)


@pytest.mark.asyncio
async def test_a_usual_record_is_stored_as_any_other(database):
    """Its row is shorter; what it leaves out is stored as if it had been said."""
    usual, full = store.row_of(PLAIN, int), store.row_of(FULL, int)
    assert len(usual) < len(full) == len(store.COLUMNS)
    first, second = await stored(database, FULL, PLAIN)
    changed = {
        "request_id": "r2",
        "end_user": "",
        "audio_input": 0,
        "audio_output": 0,
        "image_input": 0,
        "image_output": 0,
        "duration_ms": None,
        "characters": None,
        "requests": 1,
        "estimated": False,
        "dropped": None,
        "repaired": None,
        "asked_model": None,
        "session": None,
        "tags": None,
        "failed": None,
    }
    assert first | changed == second


@pytest.mark.parametrize(
    "changes",
    [
        {"fault": "upstream_broke"},
        {"end_user": "e"},
        {"dropped": "temperature"},
        {"repaired": "call_id;n=2"},
        {"asked_model": "big"},
        {"session": "s"},
        {"tags": ("a",)},
        {"failed": (("c", "timeout"),)},
        {"model": "a\0b"},
        {"channel": "x" * 201},
        {"usage": None},
        {"usage": Usage(audio_input=1)},
        {"usage": Usage(audio_output=1)},
        {"usage": Usage(image_input=1)},
        {"usage": Usage(image_output=1)},
        {"usage": Usage(seconds=0.0)},
        {"usage": Usage(characters=0)},
        {"usage": Usage(requests=2)},
        {"usage": Usage(requests=0)},
        {"usage": Usage(estimated=True)},
        {"usage": Usage(output=2**63)},
        {"usage": Usage(fresh=-1)},
    ],
)
def test_whatever_is_unusual_is_said(changes):
    """With a value for every column."""
    record = msgspec.structs.replace(PLAIN, **changes)
    assert len(store.COLUMNS) == len(store.row_of(record))


def test_no_field_of_record_or_usage_is_forgotten():
    """Whoever adds one is told here."""
    renamed = {"at": "at_ms", "first_byte_ms": "first_byte_us", "total_ms": "total_us",
               "seconds": "duration_ms"}  # fmt: skip
    # kinds of images, sizes of videos and searches are told by the entry that bills them
    told = {"usage", "images", "video_size", "searches"}
    fields = {*Record.__struct_fields__, *Usage.__struct_fields__} - told
    assert {renamed.get(field, field) for field in fields} == set(store.COLUMNS)
    assert len(store.COLUMNS) == len(store.row_of(FULL))


@pytest.mark.asyncio
async def test_absence_is_null(database):
    """No usage, no key, no first byte."""
    [row] = await stored(database, Record(request_id="r1", at=1.0))
    absent = [name for name, value in row.items() if value is None]
    assert ["key_id", "user_id", "first_byte_us", *store.COLUMNS[17:]] == absent


@pytest.mark.asyncio
async def test_units_that_are_not_the_usages_are_null(database):
    """Zero seconds and no seconds are different things."""
    a, b = Usage(output=1), Usage(seconds=0.0, characters=0)
    first, second = await stored(
        database,
        Record(request_id="a", at=1.0, usage=a),
        Record(request_id="b", at=1.0, usage=b),
    )
    assert (None, None) == (first["duration_ms"], first["characters"])
    assert (0, 0) == (second["duration_ms"], second["characters"])


@pytest.mark.asyncio
async def test_hostile_texts_and_numbers_are_made_to_fit(database):
    """NUL, half surrogates, terminal sequences, megabytes and numbers beyond 64 bits."""
    usage = Usage(fresh=2**80, output=1)
    record = Record(
        request_id="r1", at=1.0, model="a\0b", end_user="\ud800\x1b[2J", channel="x" * 10**6,
        usage=usage,
    )  # fmt: skip
    [row] = await stored(database, record)
    assert ("a�b", "��[2J", "x" * 200) == (row["model"], row["end_user"], row["channel"])
    assert (2**63 - 1, 1) == (row["fresh"], row["output"])


@pytest.mark.asyncio
async def test_storing_twice_changes_nothing(database):
    """A batch whose commit was not confirmed may be sent again."""
    await stored(database, FULL)
    other = Record(request_id="r1", at=5.0, model="other")
    assert ["m", ""] == [
        row["model"] for row in await stored(database, other, Record(request_id="r2", at=1.0))
    ]


@pytest.mark.asyncio
async def test_the_oldest_are_deleted_first_and_no_more_than_asked(database):
    """Up to a moment, which is itself kept."""
    await stored(database, *(Record(request_id=f"r{n}", at=float(n)) for n in (3, 1, 4, 2)))
    deleted = []
    for _ in range(3):
        async with database.write() as conn:
            await row_by_row(conn)
            deleted.append(await store.delete_before(conn, 4_000, 2))
    assert [2, 1, 0] == deleted
    assert ["r4"] == [row["request_id"] for row in await rows(database)]
