"""Whatever is wrong with a line of a journal: the gateway starts, and the sound ones are booked."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from ledger.test_ledger_sync import booked, sound
from trivium.ledger.journal import line, read
from trivium.ledger.model import Settlement

DETAIL = {"model": "m", "key": 3, "end": ""}
ODD = {
    "negative": -1, "huge": 2**70, "beyond 64 bits": 2**63, "beyond a year": 2**62, "text": "x",
    "none": None, "a list": [], "an object": {}, "true": True, "a fraction": 1.5,
    "endless": 10**400, "empty": "", "NUL": "a\0b", "long": "r" * 100_000, "zero": 0,
}  # fmt: skip
FIELDS = {
    "s": ("kind", "request_id", "user_id", "cost", "at", "note", "detail"),
    "h": ("kind", "request_id", "user_id", "cost", "at", "detail"),
}
HARMLESS = {
    ("request_id", "text"), ("note", "text"), ("note", "empty"), ("cost", "zero"), ("at", "zero"),
    ("detail", "an object"), ("user_id", "beyond a year"),
}  # fmt: skip


def record(of, user_id, request_id="odd", changed=()):
    """A record's values, some of them changed."""
    sound = {
        "kind": of, "request_id": request_id, "user_id": user_id, "cost": 5, "at": 1000,
        "note": "", "detail": DETAIL,
    }  # fmt: skip
    return [(sound | dict(changed))[name] for name in FIELDS[of]]


def encoded(values):
    """Its line; also with numbers that no encoder of ours writes."""
    if 10**400 in values:
        at = values.index(10**400)
        return line(
            msgspec.json.encode([*values[:at], msgspec.Raw(b"1" + b"0" * 400), *values[at + 1 :]])
        )
    if any(isinstance(value, int) and value >= 2**63 for value in values):
        values = [
            msgspec.Raw(str(value).encode()) if type(value) is int else value for value in values
        ]
    return line(msgspec.json.encode(values))


def damaged(user_id):
    """Lines that nobody can book."""
    for kind, fields in FIELDS.items():
        for field in fields:
            for name, value in ODD.items():
                if (field, name) not in HARMLESS:
                    yield encoded(record(kind, user_id, changed={field: value}))
        whole = record(kind, user_id)
        yield encoded(whole[:-1])
        yield encoded([*whole, 1])
        yield encoded(whole).replace(b"odd", b"\xff\xfe\xfd")
        yield line(msgspec.json.encode(whole).replace(b"odd", b"\xff\xfe\xfd"))
        yield line(msgspec.json.encode(whole).replace(b"odd", rb"\ud800"))
        yield line(msgspec.json.encode(record(kind, user_id, changed={"detail": {"key": "\0"}})))
        yield encoded(whole)[:-9] + b"\n"
        yield encoded(whole)[4:]
    yield line(b"[" * 100_000)
    yield line(b'["s","odd",' + b'{"a":' * 50_000)
    for text in (b"{}", b"null", b"[]", b'["r"]', b'["r",""]', b'["r",5]', b'["r","a","b"]'):
        yield line(text)
    for text in (b"\0" * 50, b"-" * 50, b" " * 50, b"0" * 50, b"\r"):
        yield text + b"\n"


@pytest.mark.asyncio
async def test_damaged_lines_are_set_aside_and_the_others_booked(
    database, account, worker, tmp_path
):
    """All in one journal, each between two sound lines: in a file beside it, with one log line."""
    ada, folder = await account(10**6), tmp_path / "journal"
    lines = list(damaged(ada))
    sound_lines = [encoded(record("s", ada, f"r{number}")) for number in range(len(lines))]
    folder.mkdir()
    data = b"".join(each for pair in zip(sound_lines, lines, strict=True) for each in pair)
    (folder / "dead-000001.journal").write_bytes(data + encoded(record("h", ada, "last"))[:-1])
    with capture_logs() as logs:
        await worker("heir").turns.recover()
    entries = await booked(database, ada)
    assert {f"r{number}" for number in range(len(lines))} | {"last"} == entries.keys()
    assert {(5, "")} == {entries[f"r{number}"] for number in range(len(lines))}
    kept = folder / "dead.damaged"
    assert b"".join(lines) == kept.read_bytes()
    assert 0o600 == kept.stat().st_mode & 0o777
    (said,) = (each for each in logs if each["event"] == "journal_damaged")
    assert (len(lines), str(kept)) == (said["lines"], said["file"])
    assert ["dead.damaged", "heir-000001.journal"] == sorted(p.name for p in folder.iterdir())
    assert await sound(database)


@pytest.mark.asyncio
async def test_what_the_database_refuses_holds_up_nobody(database, account, worker, tmp_path):
    """An account that is gone; the journal is kept whole for whoever has to look."""
    ada, folder = await account(100), tmp_path / "journal"
    folder.mkdir()
    data = encoded(record("s", 10**6, "gone")) + encoded(record("s", ada, "r1")) * 2
    (folder / "dead-000001.journal").write_bytes(data)
    await worker("heir").turns.recover()
    assert {"r1": (5, "")} == await booked(database, ada)
    assert (folder / "dead-000001.refused").exists()


@pytest.mark.asyncio
async def test_damaged_lines_that_cannot_be_written_down_stay_where_they_are(
    account, worker, tmp_path
):
    """In the journal, under a name that nobody replays."""
    ada, folder = await account(100), tmp_path / "journal"
    (folder / "dead.damaged").mkdir(parents=True)
    (folder / "dead-000001.journal").write_bytes(b"odd\n" + encoded(record("s", ada, "r1")))
    await worker("heir").turns.recover()
    assert (folder / "dead-000001.refused").exists()


@settings(suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=400), at=st.integers(0, 200), cut=st.integers(0, 9))
def test_no_bytes_end_in_an_exception(data, at, cut):
    """Read as records or set aside."""
    whole = encoded(record("s", 7)) * 2
    found = read([whole[:at] + data + whole[at + cut :], line(data)])
    assert all(isinstance(each, Settlement) for each in found.settlements.values())
