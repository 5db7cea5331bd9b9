"""The journals of dead workers are found; those of the living are left alone."""

import signal
import subprocess
import sys

import pytest
from structlog.testing import capture_logs

from ledger.conftest import quote
from trivium.ledger.journal import Journal
from trivium.ledger.model import Hold, Settlement
from trivium.ledger.orphan_journals import INTERRUPTED, orphan_journals

HOLDS = """
import sys, time
from pathlib import Path
from trivium.ledger.journal import Journal
from trivium.ledger.model import Hold, Quote
from trivium.ledger.cost import tariff_of
from trivium.routing.model import PriceRow
journal = Journal(Path(sys.argv[1]), "child")
journal.hold(Hold("r1", 7, 1, Quote(1, tariff_of("m", PriceRow(price={})))), 3, 1000)
print("ready", flush=True)
time.sleep(60)
"""


def written(folder, worker="dead", files=2):
    """A journal with one open hold and one settlement, left behind."""
    journal = Journal(folder, worker)
    journal.hold(Hold("r1", 7, 9, quote(9), key_id=5), 3, 1000)
    journal.hold(Hold("r2", 7, 9, quote(9)), 3, 1000)
    for _ in range(files - 1):
        journal.carry_on([])
    journal.settle(Settlement("r2", 7, 5, 1001, "", "{}"))
    journal.close(keep=True)


def test_what_is_left_is_to_be_booked(tmp_path):
    """Settlements as they are; a hold without one as interrupted, at its noted price."""
    written(tmp_path)
    (found,) = orphan_journals(tmp_path, "own")
    assert ("dead", 1, 0) == (found.worker, found.interrupted, found.damaged)
    assert [
        Settlement("r2", 7, 5, 1001, "", "{}"),
        Settlement("r1", 7, 3, 1000, INTERRUPTED, '{"model":"m","key":5,"end":"interrupted"}'),
    ] == found.settlements
    found.remove()
    assert [] == [path.name for path in tmp_path.iterdir()]


def test_our_own_and_other_files_are_left_alone(tmp_path):
    """Only journals, and only others'."""
    written(tmp_path, "own")
    (tmp_path / "trivium.key").write_text("x")
    (tmp_path / "odd.journal").write_text("x")
    assert [] == orphan_journals(tmp_path, "own")


def test_two_that_look_at_once_do_not_share(tmp_path):
    """The second sees a lock; when the first gives up, the next may."""
    written(tmp_path)
    (first,) = orphan_journals(tmp_path, "a")
    assert [] == orphan_journals(tmp_path, "b")
    first.close()
    (second,) = orphan_journals(tmp_path, "b")
    second.close()


def test_a_worker_one_of_whose_files_is_held_lives(tmp_path):
    """Half a journal would call settled requests interrupted."""
    written(tmp_path)
    living = Journal(tmp_path, "dead2")
    living.carry_on([])
    living._older[0].close()  # as if two files had two owners
    found = orphan_journals(tmp_path, "own")
    assert ["dead"] == [each.worker for each in found]
    found[0].close()
    living._older.clear()
    living.close(keep=False)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_is_dead_when_its_lock_is_gone(tmp_path, number):
    """However it died; while it lives, and also while it is stopped, its journal is its own."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDS, tmp_path], stdout=subprocess.PIPE, text=True
    )
    try:
        assert "ready\n" == child.stdout.readline()
        assert [] == orphan_journals(tmp_path, "own")
        child.send_signal(signal.SIGSTOP)
        assert [] == orphan_journals(tmp_path, "own")
        child.send_signal(signal.SIGCONT)
        child.send_signal(number)
        child.wait(10)
        (found,) = orphan_journals(tmp_path, "own")
        assert ["r1"] == [each.request_id for each in found.settlements]
        found.remove()
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_one_that_cannot_be_read_keeps_nobody_from_the_others(tmp_path):
    """A folder by that name, a disk with a bad sector: what the others are owed is booked."""
    (tmp_path / "bad-000001.journal").mkdir()
    written(tmp_path)
    with capture_logs() as logs:
        (found,) = orphan_journals(tmp_path, "own")
    assert "dead" == found.worker
    found.close()
    assert [("journal_unreadable", "bad")] == [(line["event"], line["worker"]) for line in logs]
