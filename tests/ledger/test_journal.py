"""What is in the journal survives its worker, whatever of it reached the disk."""

import os

import pytest

from trivium.ledger import journal as journals
from trivium.ledger.journal import Journal, OpenHold, line, read
from trivium.ledger.model import Hold, Settlement

DETAIL = '{"model":"m"}'


def hold(number):
    """A hold of a request."""
    return Hold(request_id=f"r{number}", user_id=7, amount_nanos=100)


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
        journal.hold(hold(number), 40 + number, 1000, DETAIL.encode())
    journal.settle(settled(2))
    journal.release("r3")
    found = read(files(tmp_path))
    assert {"r1": OpenHold("r1", 7, 41, 1000, DETAIL)} == found.holds
    assert {"r2": settled(2)} == found.settlements
    assert 0 == found.damaged


def test_names_of_any_kind_read_back(journal, tmp_path):
    """Quotes, line breaks and other alphabets do not tear a line."""
    odd = 'r"\n\\\u2028\u00e4'
    journal.hold(Hold(request_id=odd, user_id=7, amount_nanos=1), 0, 1, b'{"model":"a\\n\\"b"}')
    (found,) = read(files(tmp_path)).holds.values()
    assert (odd, '{"model":"a\\n\\"b"}') == (found.request_id, found.detail)


def test_a_journal_torn_anywhere_keeps_what_was_whole(journal, tmp_path):
    """Cut at every byte: the records before the cut, and no damage told."""
    for number in range(4):
        journal.hold(hold(number), 0, 1000, DETAIL.encode())
    journal.settle(settled(0))
    journal.release("r1")
    (data,) = files(tmp_path)
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        found = read([data[:cut]])
        # a line that lacks its newline alone is whole
        whole = sum(end <= cut + 1 for end in ends)
        assert 0 == found.damaged
        assert min(whole, 4) - max(0, whole - 4) == len(found.holds), cut
        assert (whole >= 5) == (1 == len(found.settlements))


def test_a_spoilt_byte_costs_one_record(journal, tmp_path):
    """Whichever byte it is, newlines included; the others are read, and the damage is told."""
    for number in range(5):
        journal.hold(hold(number), 0, 1000, DETAIL.encode())
    (data,) = files(tmp_path)
    size = len(data) // 5
    for at in range(2 * size, 3 * size - 1):
        spoilt = data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :]
        found = read([spoilt])
        assert {"r0", "r1", "r3", "r4"} == found.holds.keys(), at
        assert 1 <= found.damaged <= 2


def test_a_lost_newline_costs_two_records_at_most(journal, tmp_path):
    """The two lines that it joined."""
    for number in range(4):
        journal.hold(hold(number), 0, 1000, DETAIL.encode())
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
    assert (1, {}, {}) == (found.damaged, found.holds, found.settlements)


def test_a_failed_write_does_not_tear_the_next(journal, tmp_path, monkeypatch):
    """A full disk takes half a record; what comes after it begins on a line of its own."""
    journal.hold(hold(1), 0, 1000, DETAIL.encode())
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(journals.os, "write", lambda fd, data: write(fd, data[:20]))
        with pytest.raises(OSError, match="part of a record"):
            journal.hold(hold(2), 0, 1000, DETAIL.encode())
    journal.hold(hold(3), 0, 1000, DETAIL.encode())
    found = read(files(tmp_path))
    assert {"r1", "r3"} == found.holds.keys()
    assert 1 == found.damaged


def test_holds_are_carried_into_the_next_file(journal, tmp_path):
    """A settlement there ends the hold noted in both."""
    journal.hold(hold(1), 0, 1000, DETAIL.encode())
    journal.hold(hold(2), 0, 1000, DETAIL.encode())
    journal.carry_on([(hold(number), 0, 1000, DETAIL.encode()) for number in (1, 2)])
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
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 60)
    journal.hold(hold(1), 0, 1000, DETAIL.encode())
    assert not journal.is_full
    journal.hold(hold(2), 0, 1000, DETAIL.encode())
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
