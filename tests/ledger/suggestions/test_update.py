"""Newer suggestions are kept whole, and older or broken ones are not."""

import msgspec
import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.model import bundled
from trivium.ledger.suggestions.update import NAME, current, keep, place


@pytest.fixture
def path(tmp_path):
    return tmp_path / NAME


def of(plain, date):
    """The catalogue of another day."""
    return msgspec.json.encode({**plain, "date": date})


@pytest.mark.parametrize("journal", ["journal/", "journal"])
def test_it_lies_beside_the_journal(tmp_path, monkeypatch, journal):
    """Where the gateway may write, and where no worker looks for journals."""
    monkeypatch.chdir(tmp_path)
    assert tmp_path / NAME == place(journal)


def test_without_a_kept_one_the_shipped_one_holds(path):
    """Nothing has to be fetched."""
    assert bundled() == current(path)


def test_a_newer_one_is_kept(path, plain):
    """And only it is left in the folder."""
    kept = keep(path, of(plain, "2099-01-01"))
    assert ("2099-01-01", kept) == (kept.date, current(path))
    assert [NAME] == [each.name for each in path.parent.iterdir()]


def test_an_older_one_is_not(path, plain):
    """Neither than the shipped one, nor than the kept one, which stays."""
    with pytest.raises(LedgerError, match="older"):
        keep(path, of(plain, "2001-01-01"))
    keep(path, of(plain, "2099-01-02"))
    with pytest.raises(LedgerError, match="of 2099-01-02"):
        keep(path, of(plain, "2099-01-01"))
    assert "2099-01-02" == current(path).date


def test_a_shipped_one_that_is_newer_holds(path, plain):
    """After an update of the gateway itself."""
    path.write_bytes(of(plain, "2001-01-01"))
    assert bundled() == current(path)


def test_what_is_wrong_is_not_kept(path):
    """The kept one stays as it was."""
    with pytest.raises(LedgerError, match="is no price catalogue"):
        keep(path, b"{}")
    assert not path.exists()


def test_a_spoilt_file_is_named(path):
    """With the way out."""
    path.write_bytes(b"{}")
    with pytest.raises(LedgerError, match=f"{NAME} is no price catalogue.*remove it"):
        current(path)


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path, plain):
    """By the system's own words."""
    with pytest.raises(LedgerError, match="cannot be read"):
        current(tmp_path)
    with pytest.raises(LedgerError, match="cannot be kept"):
        keep(tmp_path / "nowhere" / NAME, of(plain, "2099-01-01"))
