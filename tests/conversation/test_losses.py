"""What a translation leaves out and mends is written down, by rank."""

import pytest

from trivium.conversation.losses import (
    HEADER_BYTES_MAX,
    INVENTED,
    Drop,
    DropAction,
    Mend,
    Rank,
    Repair,
    Report,
)
from trivium.faults import Fault, Kind


def report(*, strict=False):
    """A fresh report."""
    return Report("the messages shape of m", strict=strict)


@pytest.mark.parametrize(
    ("rank", "strict", "refused"),
    [
        (Rank.CONTRACT, False, True),
        (Rank.CONTRACT, True, True),
        (Rank.HINT, False, False),
        (Rank.HINT, True, True),
        (Rank.BOOKKEEPING, False, False),
        (Rank.BOOKKEEPING, True, False),
    ],
)
def test_the_ladder(rank, strict, refused):
    """Contracts are always refused, hints in strict mode, bookkeeping never."""
    found = report(strict=strict)
    if refused:
        with pytest.raises(Fault) as caught:
            found.drop(rank, "n", "it gives one answer")
        assert (Kind.UNREPRESENTABLE, "n") == (caught.value.kind, caught.value.param)
        assert (
            "n cannot be carried to the messages shape of m: it gives one answer."
            == caught.value.message
        )
    else:
        found.drop(rank, "n", "it gives one answer")
    kept = rank is Rank.BOOKKEEPING
    hinted = rank is Rank.HINT and not strict
    assert ["n"] * kept == found.kept
    assert [Drop("n", "it gives one answer")] * hinted == found.drops


def test_a_thing_is_said_once():
    """However many parts of a history it befalls."""
    found = report()
    for _ in range(2):
        found.drop(Rank.HINT, "seed", "none")
        found.drop(Rank.BOOKKEEPING, "user", "none")
        found.repair(Mend.CALL_ID, "a")
    assert ([Drop("seed", "none")], ["user"], [Repair(Mend.CALL_ID, "a")]) == (
        found.drops,
        found.kept,
        found.repairs,
    )


@pytest.mark.parametrize("what", Mend)
def test_strict_mode_forbids_invented_words_only(what):
    """Ids and order may be mended: the model reads the same."""
    found = report(strict=True)
    if what in INVENTED:
        with pytest.raises(Fault, match=what.value):
            found.repair(what, "a")
    else:
        found.repair(what, "a")
    assert (what not in INVENTED) == bool(found.repairs)


def test_headers_are_structured_lists():
    """Members are tokens, reasons are strings without what would end them."""
    found = report()
    assert ("", "") == (found.dropped_header(), found.repaired_header())
    found.drop(Rank.HINT, "messages[2].name", 'no "names"\r\n there')
    found.drop(Rank.HINT, "temperature", "at most 1", DropAction.CHANGED)
    found.drop(Rank.HINT, "messages[].reasoning_content", "none")
    for where in ("a", "b"):
        found.repair(Mend.CALL_ID, where)
    found.repair(Mend.RESULT_ORDER, "turns[1]")
    assert (
        'messages.2.name;act=dropped;why="no names there", '
        'temperature;act=changed;why="at most 1", '
        'messages.reasoning_content;act=dropped;why="none"'
    ) == found.dropped_header()
    assert "call_id;n=2, result_order;n=1" == found.repaired_header()


def test_a_long_header_is_cut_and_counted():
    """The number of drops is the caller's to choose, the length of a header is not."""
    found = report()
    for at in range(100):
        found.drop(Rank.HINT, f"tools[{at}].strict", "not taken by this model")
    header = found.dropped_header()
    rows = header.split(", ")
    assert len(header) < HEADER_BYTES_MAX + len(", more=100")
    assert f"more={100 - len(rows) + 1}" == rows[-1]


def test_the_record_has_every_name_once():
    """What was dropped, what was changed, and what only we keep; without the reasons."""
    report = Report("the chat shape of m")
    for rank, member in (
        (Rank.HINT, "temperature"),
        (Rank.BOOKKEEPING, "metadata"),
        (Rank.HINT, "seed"),
    ):
        report.drop(rank, member, "not taken by this model")
    report.drop(Rank.HINT, "temperature", "at most 1", DropAction.CHANGED)
    assert "temperature, seed, metadata" == report.dropped_names()
    assert not Report("m").dropped_names()
