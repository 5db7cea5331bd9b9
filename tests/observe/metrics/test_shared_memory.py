"""Workers read each other's numbers; none is lost with whoever counted it, and nobody waits."""

import os
import signal

import pytest

from trivium.observe.metrics import shared_memory as module
from trivium.observe.metrics.counters import Numbers
from trivium.observe.metrics.shared_memory import SharedNumbers


def counted(count, level=0):
    return Numbers([(("c",), count)], [(("s",), [count])], [(("g",), level)] if level else [])


def total(places, but=0):
    """The sum of a counter over all that are read."""
    return sum(dict(one.counts)["c",] for one in places.read(but))


@pytest.fixture
def places():
    """Room for two at a time: 11 and 12 are there."""
    made = SharedNumbers(2)
    for pid in (11, 12):
        made.admit(pid)
    return made


def test_each_reads_what_the_others_left(places):
    """Its own numbers it has fresher."""
    assert [True, True] == [places.write(11, counted(1)), places.write(12, counted(20))]
    assert [20, 1, 21] == [total(places, 11), total(places, 12), total(places)]


def test_what_is_left_last_holds(places):
    """Again and again, longer and shorter."""
    for count in (1, 10**12, 3):
        places.write(11, counted(count))
    assert 3 == total(places)


def test_whoever_has_no_place_leaves_nothing(places):
    """Not yet admitted, or one too many."""
    places.admit(13)
    assert not places.write(13, counted(1))
    assert [] == places.read(0)


def test_what_the_dead_had_counted_stays_and_their_present_goes(places):
    """Counters never fall; gauges are of the living."""
    places.write(11, counted(5, level=7))
    places.write(12, counted(1))
    places.retire(11)
    assert 6 == total(places)
    places.admit(14)
    assert 6 == total(places)
    places.write(14, counted(2))
    places.retire(14)
    places.retire(12)
    assert 8 == total(places)
    assert [[]] == [one.levels for one in places.read(0)]


def test_nobody_is_retired_twice(places):
    """Nor who was never there."""
    places.write(11, counted(5))
    for pid in (11, 11, 99):
        places.retire(pid)
    assert 5 == total(places)


def test_a_place_holds_so_much_and_no_more(places, monkeypatch):
    """What was there before stays."""
    places.write(11, counted(1))
    monkeypatch.setattr(module, "HALF_BYTES", 40)
    assert not places.write(11, Numbers([(("c" * 50,), 1)]))
    monkeypatch.undo()
    assert 1 == total(places)


def test_whoever_is_killed_while_writing_leaves_what_was_there(places):
    """The half that is shown is never touched."""
    places.write(11, counted(1))
    number = places._find(11)
    at = places._half(number, places._place(number)[1] + 1)
    places._memory[at : at + 100] = b"\xff" * 100
    assert 1 == total(places)


def test_a_place_that_does_not_stand_still_is_left_out(places, monkeypatch):
    """After some looks; the others are read all the same."""
    places.write(11, counted(1))
    places.write(12, counted(20))
    number = places._find(11)
    at = places._half(number, places._place(number)[1])
    places._memory[at + 8 : at + 9] = b"\x00"
    monkeypatch.setattr(module, "TRIES", 2)
    assert 20 == total(places)


def test_a_reader_looks_again_while_the_dead_are_added_to(places, monkeypatch):
    """Or it would find them twice, or not at all."""
    places.write(11, counted(5))
    looks = []
    found = places._others

    def moving(but):
        looks.append(but)
        if len(looks) == 1:
            places.retire(11)
        return found(but)

    monkeypatch.setattr(places, "_others", moving)
    assert 5 == total(places)
    assert 2 == len(looks)


def test_it_is_one_memory_for_a_whole_family():
    """What a child writes its parent and its siblings read, also after it was killed."""
    shared = SharedNumbers(2)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(read, 1)  # until it is admitted
        shared.write(os.getpid(), counted(42))
        os.kill(os.getpid(), signal.SIGKILL)
    shared.admit(pid)
    os.write(write, b".")
    os.waitpid(pid, 0)
    os.close(read)
    os.close(write)
    assert 42 == total(shared)
    shared.retire(pid)
    assert 42 == total(shared)
