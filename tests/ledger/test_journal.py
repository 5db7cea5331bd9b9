"""What is in the journal survives its worker, whatever of it reached the disk."""

import contextlib
import os
import resource
import signal
from decimal import Decimal

import msgspec
import pytest

from ledger.conftest import payer, quote
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.ledger import journal as journals
from trivium.ledger.cost import tariff_of
from trivium.ledger.errors import UnwrittenError
from trivium.ledger.journal import Journal, line, read
from trivium.ledger.model import Hold, OpenHold, Quote, Settlement
from trivium.ledger.orphan_journals import orphan_journals
from trivium.ledger.worker import WorkerLedger
from trivium.routing.model import PriceRow
from trivium.wire.attribution import Attributed

DETAIL = '{"model":"m","key":3,"end":"interrupted"}'


def hold(number, name=None, model="m"):
    """A hold of a request."""
    priced = Quote(100, tariff_of(model, PriceRow(price={"input": Decimal(1)})))
    return Hold(name or f"r{number}", 7, 100, priced, key_id=3)


def settled(number, cost=5):
    """What a request came to."""
    return Settlement(f"r{number}", 7, cost, 1000, "", DETAIL)


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path, "w")
    yield made
    made.close(keep=True)


def files(folder):
    """The files' bytes, by their numbers."""
    return [path.read_bytes() for path in sorted(folder.glob("*.journal"))]


def test_records_read_back(journal, tmp_path):
    """An open hold, a settled one, a released one."""
    for number in (1, 2, 3):
        journal.hold(hold(number), 40 + number, 1000)
    journal.settle(settled(2))
    journal.release("r3")
    found = read(files(tmp_path))
    assert {"r1": OpenHold("r1", 7, 41, 1000, DETAIL)} == found.holds
    assert {"r2": settled(2)} == found.settlements
    assert [] == found.damaged


def test_names_of_any_kind_read_back(journal, tmp_path):
    """Quotes, line breaks and other alphabets do not tear a line."""
    odd = 'r"\n\\\u2028\u00e4'
    journal.hold(hold(1, odd, 'a\n"b'), 0, 1)
    (found,) = read(files(tmp_path)).holds.values()
    assert (odd, 'a\n"b') == (found.request_id, msgspec.json.decode(found.detail)["model"])


def test_a_journal_torn_anywhere_keeps_what_was_whole(journal, tmp_path):
    """Cut at every byte: the records before the cut, and no damage told."""
    for number in range(4):
        journal.hold(hold(number), 0, 1000)
    journal.settle(settled(0))
    journal.release("r1")
    (data,) = files(tmp_path)
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        found = read([data[:cut]])
        # a line that lacks its newline alone is whole
        whole = sum(end <= cut + 1 for end in ends)
        assert [] == found.damaged
        assert min(whole, 4) - max(0, whole - 4) == len(found.holds), cut
        assert (whole >= 5) == (1 == len(found.settlements))


def test_a_spoilt_byte_costs_one_record(journal, tmp_path):
    """Whichever byte it is, newlines included; the others are read, and the damage is told."""
    for number in range(5):
        journal.hold(hold(number), 0, 1000)
    (data,) = files(tmp_path)
    size = len(data) // 5
    for at in range(2 * size, 3 * size - 1):
        spoilt = data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :]
        found = read([spoilt])
        assert {"r0", "r1", "r3", "r4"} == found.holds.keys(), at
        assert 1 <= len(found.damaged) <= 2


def test_a_lost_newline_costs_two_records_at_most(journal, tmp_path):
    """The two lines that it joined."""
    for number in range(4):
        journal.hold(hold(number), 0, 1000)
    (data,) = files(tmp_path)
    at = data.index(b"\n")
    found = read([data[:at] + b" " + data[at + 1 :]])
    assert {"r2", "r3"} <= found.holds.keys()


@pytest.mark.parametrize(
    "payload",
    [b"{}", b"[]", b'["x"]', b'["h"]', b'["s","r",1]', b'["r",5]', b"5", b'["h",1,2,3,4,{}]'],
)
def test_a_record_of_another_kind_is_passed_over(payload):
    """Its checksum is right, but it says nothing we know."""
    found = read([line(payload) + line(b'["r","x"]')])
    assert (1, {}, {}) == (len(found.damaged), found.holds, found.settlements)


def test_a_failed_write_does_not_tear_the_next(journal, tmp_path, monkeypatch):
    """A full disk takes half a record; what comes after it begins on a line of its own."""
    journal.hold(hold(1), 0, 1000)
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(journals.os, "write", lambda fd, data: write(fd, data[:20]))
        with pytest.raises(OSError, match="part of a record"):
            journal.hold(hold(2), 0, 1000)
    journal.hold(hold(3), 0, 1000)
    found = read(files(tmp_path))
    assert {"r1", "r3"} == found.holds.keys()
    assert 1 == len(found.damaged)


def test_holds_are_carried_into_the_next_file(journal, tmp_path):
    """A settlement there ends the hold noted in both."""
    journal.hold(hold(1), 0, 1000)
    journal.hold(hold(2), 0, 1000)
    journal.carry_on([(hold(number), 0, 1000) for number in (1, 2)])
    journal.settle(settled(1))
    first, second = files(tmp_path)
    assert {"r2"} == read([first, second]).holds.keys()
    assert {"r2"} == read([second]).holds.keys()


def test_the_last_finished_file_is_kept(journal, tmp_path):
    """Until the next is finished as well; the current one always stays."""
    assert not journal.is_full
    journal.carry_on([])
    journal.done_with_older()
    assert ["w-000001.journal", "w-000002.journal"] == sorted(
        [path.name for path in tmp_path.iterdir()]
    )
    journal.carry_on([])
    journal.done_with_older()
    assert ["w-000002.journal", "w-000003.journal"] == sorted(
        [path.name for path in tmp_path.iterdir()]
    )


def test_a_file_is_full_by_its_size(journal, monkeypatch):
    """Counted as it is written."""
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 100)
    journal.hold(hold(1), 0, 1000)
    assert not journal.is_full
    journal.hold(hold(2), 0, 1000)
    assert journal.is_full


def test_only_the_owner_reads_it(journal, tmp_path):
    """It says who spent what."""
    (path,) = tmp_path.glob("*.journal")
    assert 0o600 == path.stat().st_mode & 0o777


def test_a_journal_is_synced_when_there_is_something_new(journal, monkeypatch):
    """And only then."""
    synced = []
    monkeypatch.setattr(journals.os, "fdatasync", synced.append)
    journal.sync()
    assert [] == synced
    journal.release("r1")
    journal.sync()
    journal.sync()
    assert 1 == len(synced)


@pytest.mark.parametrize("keep", [True, False])
def test_a_journal_is_kept_or_removed_at_its_end(tmp_path, keep):
    """With every file of it."""
    made = Journal(tmp_path / "new" / "folder", "w")
    made.carry_on([])
    made.close(keep=keep)
    assert (2 if keep else 0) == len(list((tmp_path / "new" / "folder").iterdir()))


def bytes_of(kind, number):
    """The line that a record is written as."""
    if kind == "h":
        return line(msgspec.json.encode(["h", f"r{number}", 7, 0, 1000, msgspec.Raw(DETAIL)]))
    if kind == "s":
        return line(msgspec.json.encode(["s", f"r{number}", 7, 5, 1000, "", msgspec.Raw(DETAIL)]))
    return line(msgspec.json.encode(["r", f"r{number}"]))


def test_a_journal_that_is_closed_twice_closes_nothing_else(tmp_path):
    """The number of its file has been given to another by then."""
    made = Journal(tmp_path / "journal", "w1")
    made.close(keep=True)
    with (tmp_path / "other").open("w") as other:
        made.close(keep=True)
        other.write("still there")
    assert "still there" == (tmp_path / "other").read_text()


def test_the_lines_are_what_earlier_versions_wrote(journal, tmp_path):
    """Byte by byte, so that a journal may be left by one version and taken up by another."""
    journal.hold(hold(1), 0, 1000)
    journal.settle(settled(1))
    journal.release("r2")
    expected = (
        b'd2c6a850 ["h","r1",7,0,1000,{"model":"m","key":3,"end":"interrupted"}]\n'
        b'6829d485 ["s","r1",7,5,1000,"",{"model":"m","key":3,"end":"interrupted"}]\n'
        b'27f08a1d ["r","r2"]\n'
    )
    assert [expected] == files(tmp_path)


def test_for_whom_it_was_survives_and_is_no_part_of_the_detail(journal, tmp_path):
    """Entries are for ever: nothing of a person is to come into them."""
    said = Attributed("ada", "s-1", ("a", "b"))
    journal.hold(msgspec.structs.replace(hold(1), who=said), 5, 1000)
    journal.settle(msgspec.structs.replace(settled(2), who=said))
    found = read(files(tmp_path))
    assert (said, said) == (found.holds["r1"].who, found.settlements["r2"].who)
    assert settled(2).detail == found.settlements["r2"].detail
    assert "ada" not in found.holds["r1"].detail


@pytest.fixture
def gathering(tmp_path):
    made = Journal(tmp_path, "w", gathers=True)
    yield made
    made.close(keep=True)


def test_gathered_records_are_written_at_once(gathering, tmp_path, monkeypatch):
    """None before the flush, all of them with it, in one write."""
    gathering.hold(hold(1), 0, 1000)
    gathering.settle(settled(2))
    gathering.release("r3")
    assert [b""] == files(tmp_path)
    written = []
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(
            journals.os, "write", lambda fd, data: written.append(data) or write(fd, data)
        )
        assert gathering.flush()
        assert not gathering.flush()
    assert [bytes_of("h", 1) + bytes_of("s", 2) + bytes_of("r", 3)] == written == files(tmp_path)


@pytest.mark.parametrize("taken", range(0, 240, 7))
def test_a_disk_that_takes_a_part_loses_no_more_than_it_says(
    gathering, tmp_path, monkeypatch, taken
):
    """Holds that it took whole are noted; the others are named, and no settlement is damaged."""
    for number in (1, 2):
        gathering.hold(hold(number), 0, 1000)
        gathering.settle(settled(number + 10))
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(journals.os, "write", lambda fd, data: write(fd, data[:taken]))
        with pytest.raises(UnwrittenError) as told:
            gathering.flush()
    gathering.hold(hold(3), 0, 1000)
    gathering.flush()
    found = read(files(tmp_path))
    assert {"r1", "r2", "r3"} - set(told.value.holds) == found.holds.keys()
    assert 1 >= len(found.damaged)


def test_a_disk_that_takes_nothing_loses_every_hold(gathering, tmp_path, monkeypatch):
    """They are told with the reason, and what comes after is written."""

    def full(fd, data):
        raise OSError(28, "No space left on device")

    gathering.hold(hold(1), 0, 1000)
    gathering.settle(settled(2))
    gathering.hold(hold(3), 0, 1000)
    with monkeypatch.context() as patch:
        patch.setattr(journals.os, "write", full)
        with pytest.raises(UnwrittenError, match="No space left") as told:
            gathering.flush()
    assert ["r1", "r3"] == told.value.holds
    gathering.hold(hold(4), 0, 1000)
    gathering.flush()
    assert {"r4"} == read(files(tmp_path)).holds.keys()


def test_open_holds_are_carried_on_before_what_is_gathered(gathering, tmp_path):
    """They are in the next file when the call returns; what waits follows them."""
    gathering.hold(hold(1), 0, 1000)
    gathering.flush()
    gathering.settle(settled(1))
    gathering.carry_on([(hold(1), 0, 1000)])
    assert bytes_of("h", 1) == files(tmp_path)[1]
    gathering.flush()
    assert bytes_of("h", 1) + bytes_of("s", 1) == files(tmp_path)[1]


def test_a_journal_that_is_kept_has_what_was_gathered(tmp_path):
    """Whoever takes it up finds it."""
    made = Journal(tmp_path, "w", gathers=True)
    made.settle(settled(1))
    made.close(keep=True)
    assert {"r1"} == read(files(tmp_path)).settlements.keys()


RICH = payer(1, unlimited=True)


@pytest.fixture
def ledger(gathering):
    """A worker's, whose journal waits for a flush."""
    return WorkerLedger(gathering, FixedClock())


def test_what_is_gathered_is_noted_by_the_flush(ledger, tmp_path):
    """Holds, settlements and releases of several requests, in the order of their making."""
    one, two, three = (ledger.hold(f"r{n}", RICH, quote(10)) for n in (1, 2, 3))
    ledger.settle(one, Usage(output=4))
    ledger.settle(two, None)
    assert ({}, {}) == (read(files(tmp_path)).holds, read(files(tmp_path)).settlements)
    assert [] == ledger.flush()
    found = read(files(tmp_path))
    assert ({"r3"}, {"r1"}) == (found.holds.keys(), found.settlements.keys())
    assert three.request_id == "r3"
    assert [] == ledger.flush()


def test_a_flush_that_fails_names_the_requests_to_refuse(ledger, tmp_path, monkeypatch, capsys):
    """Their holds end as any that cost nothing; settlements are booked from memory, as always."""
    one = ledger.hold("r1", RICH, quote(10))
    assert [] == ledger.flush()
    with monkeypatch.context() as patch:
        patch.setattr("trivium.ledger.journal.os.write", no_space)
        ledger.gather()
        ledger.settle(one, Usage(output=4))
        two = ledger.hold("r2", RICH, quote(10))
        assert ["r2"] == ledger.flush()
        ledger.gather()
        ledger.settle(two, None)
        ledger.hold("r3", RICH, quote(10))
        assert ["r3"] == ledger.flush()
    assert ["r1"] == [settled.request_id for settled in ledger.batch(9)]
    ledger.gather()
    ledger.hold("r4", RICH, quote(10))
    assert [] == ledger.flush()
    assert {"r1", "r4"} == read(files(tmp_path)).holds.keys()
    said = capsys.readouterr().out
    assert 1 == said.count("journal_failed")
    assert 1 == said.count("journal_flows_again")


def test_a_model_that_stands_in_is_asked_when_its_hold_is_flushed(ledger, monkeypatch):
    """A flush that fails names its request, though that was noted before for another model."""
    hold = ledger.hold("r1", RICH, quote(10))
    assert [] == ledger.flush()
    with monkeypatch.context() as patch:
        patch.setattr("trivium.ledger.journal.os.write", no_space)
        ledger.gather()
        ledger.hand_over(hold, quote(20))
        assert ["r1"] == ledger.flush()


def no_space(fd, data):
    """The disk is full."""
    raise OSError(28, "No space left on device")


def test_nobody_finds_a_file_before_it_is_locked(tmp_path, monkeypatch):
    """Another worker that looks for what dead ones left would lock it first."""
    flock, seen = journals.fcntl.flock, []

    def looked(fd, how):
        seen.append(
            (orphan_journals(tmp_path, "other"), sorted(p.suffix for p in tmp_path.iterdir()))
        )
        flock(fd, how)

    with monkeypatch.context() as patch:
        patch.setattr(journals.fcntl, "flock", looked)
        made = Journal(tmp_path, "w")
    assert [([], [".new"])] == seen
    assert [] == orphan_journals(tmp_path, "other")
    assert [".journal"] == [path.suffix for path in tmp_path.iterdir()]
    made.close(keep=False)


def test_whether_it_takes_more_is_asked_of_the_disk(folder_with_limit):
    """Without a trace: nothing is left behind."""
    folder, limit = folder_with_limit
    journal = Journal(folder, "w")
    files = sorted(folder.iterdir())
    assert journal.takes()
    with limit(1_000):
        assert not journal.takes()
    assert journal.takes()
    assert files == sorted(folder.iterdir())


@pytest.fixture
def folder_with_limit(tmp_path):
    """A folder, and a block in which no file of this process may grow beyond so many bytes."""

    @contextlib.contextmanager
    def limit(most):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)

    return tmp_path / "journal", limit
