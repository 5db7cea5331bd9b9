"""Of two editors the second is told, and what to send is said to whoever says nothing."""

import pytest

from trivium.catalogue.conditions import check_entry, check_revision, since
from trivium.catalogue.model import (
    CatalogueEntry,
    EntryBody,
    EntryDiff,
    EntryName,
    Revision,
    StaleError,
    UnconditionalError,
)

AT = EntryName("group", "g")
BODY = EntryBody(document="0.5", sealed=None, marks=())
NOW = CatalogueEntry(at=AT, version=3, body=BODY, updated_ms=7_000, updated_by=None)
ADDED = EntryDiff(at=AT, before=None, after=BODY)
CHANGED = EntryDiff(at=AT, before=BODY, after=None)


@pytest.mark.parametrize(
    ("version", "absent", "now", "error", "said"),
    [
        (3, False, NOW, None, ""),
        (None, False, None, None, ""),
        (None, True, None, None, ""),
        (2, False, NOW, StaleError, "was changed since: it has version 3, by nobody"),
        (2, False, None, StaleError, "is not there any more"),
        (None, True, NOW, StaleError, "is there already: it has version 3"),
        (None, False, NOW, UnconditionalError, 'send If-Match: "3"'),
    ],
)
def test_an_entry_is_what_was_read(version, absent, now, error, said):
    """Else it is told what it is."""
    if error is None:
        check_entry(AT, version, absent=absent, now=now)
        return
    with pytest.raises(error) as refused:
        check_entry(AT, version, absent=absent, now=now)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("read_at", "diff", "error"),
    [
        (None, ADDED, None),
        (5, ADDED, None),
        (5, CHANGED, None),
        (None, CHANGED, UnconditionalError),
        (4, ADDED, StaleError),
        (4, CHANGED, StaleError),
    ],
)
def test_everything_is_what_was_read(read_at, diff, error):
    """Only what adds needs to have read nothing."""
    if error is None:
        check_revision(read_at, Revision(5, "m"), [diff])
        return
    with pytest.raises(error, match="5"):
        check_revision(read_at, Revision(5, "m"), [diff])


def test_who_changed_it_is_told():
    """With the version and the time."""
    known = CatalogueEntry(at=AT, version=4, body=BODY, updated_ms=9_000, updated_by=12)
    assert "version 4, by user 12 at 9 (seconds since 1970)" in since(AT, known)
