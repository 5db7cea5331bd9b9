"""Changes are worked out one after the other."""

import asyncio

import pytest

from catalogue.sealed import SEAL, body
from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import AbsentError, ChangeAuthor, EntryName
from trivium.catalogue.planning import ChangeJob, ChangePlanner, ChangeResult, PlannedChange
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.clock import FixedClock
from trivium.routing.model import Catalogue
from trivium.settings.model import Settings

A, B = EntryName("group", "a"), EntryName("group", "b")
pytestmark = pytest.mark.asyncio


def planner(tried, former=()):
    def trial(entries):
        tried.append([(each.name, each.document) for each in entries])
        return Settings(), Catalogue(models={}, channels={})

    return ChangePlanner(CatalogueSnapshot(None, SEAL), dict(former), trial, FixedClock())


def job(wanted, check_at=None):
    return ChangeJob(
        wanted=wanted, author=ChangeAuthor(), reason="", undoes=None, check_at=check_at,
        may_return=(), size=1, outcome=asyncio.get_running_loop().create_future(),
    )  # fmt: skip


def put(at, document):
    made = None if document is None else body(at, document)
    return job(lambda *_: {at: made})


async def test_each_stands_on_those_before():
    """Each is tried with them, and has a revision of its own."""
    tried = []
    first, second = planner(tried).each([put(A, "0.5"), put(B, "0.6")])
    assert [[("a", "0.5")], [("a", "0.5"), ("b", "0.6")]] == tried
    assert [(0, 1), (1, 2)] == [(each.base.value, each.new.value) for each in (first, second)]
    assert first.new == second.base
    assert first.new.mark != second.new.mark
    assert {A: None} == first.versions
    assert 1 == first.after[A][0].version


async def test_what_is_wrong_changes_nothing_for_the_next():
    """Nor what differs in nothing."""

    def absent(known, _former):
        raise AbsentError(f"{len(known)}")

    one = planner([])
    same = job(lambda known, _: {A: known[A].body})
    came = one.each([put(A, "0.5"), job(absent), same, put(A, "0.6")])
    assert [PlannedChange, AbsentError, ChangeResult, PlannedChange] == [type(x) for x in came]
    assert ({A: 1}, 2) == (came[3].versions, came[3].new.value)
    assert (1, ()) == (came[2].revision, came[2].diffs)


async def test_what_one_takes_away_is_former_for_the_next():
    """Until it is there again."""
    seen = []

    def looks(known, former):
        seen.append((A in known, A in former))
        return {}

    planner([]).each([put(A, "0.5"), put(A, None), job(looks), put(A, "0.5"), job(looks)])
    assert [(False, True), (True, False)] == seen


async def test_there_are_at_most_so_many(monkeypatch):
    monkeypatch.setattr("trivium.catalogue.planning.ENTRIES_MAX", 1)
    came = planner([]).each([put(A, "0.5"), put(B, "0.5")])
    assert isinstance(came[1], DocumentError)
