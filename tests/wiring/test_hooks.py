"""Hooks are found at start, and told of what was recorded."""

import pytest

from trivium.observe.record import Record
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings
from trivium.wiring import hooks
from trivium.wiring.hooks import NO_HOOKS, Hooks, hooks_of, with_hooks


class Kept:
    """Keeps what it is told, as a recorder and as a hook."""

    def __init__(self):
        self.records = []

    def add(self, record):
        self.records.append(record)

    after = add


class Breaks:
    def after(self, record):
        record.model = "another"
        raise OSError("no disk")


class Before:
    async def before(self, request):
        """Nothing."""


def test_where_no_hook_is_told_the_recorder_is_the_real_one():
    """Nobody pays for what is not there."""
    kept = Kept()
    assert with_hooks(kept, NO_HOOKS) is kept
    assert with_hooks(kept, Hooks((Before(),), ())) is kept


def test_a_hook_that_breaks_is_logged_and_breaks_nothing(capsys):
    """Not the record, and not the next hook."""
    kept, other = Kept(), Kept()
    with_hooks(kept, Hooks((), (Breaks(), other))).add(Record("req_1", 1.0, model="m"))
    assert ["m", "m"] == [kept.records[0].model, other.records[0].model]
    assert other.records[0] is not kept.records[0]
    said = capsys.readouterr()
    assert "hook_failed" in said.out + said.err


def test_hooks_go_by_what_they_have(monkeypatch):
    """One may have both."""
    one, two = Before(), Kept()
    monkeypatch.setattr(hooks, "brought", lambda *_: [("a", one), ("b", two)])
    assert Hooks((one,), (two,)) == hooks_of(Settings())


@pytest.mark.parametrize("thing", [Before, object(), 1])
def test_what_is_no_hook_is_refused(monkeypatch, thing):
    """A class is none: an object of it is."""
    monkeypatch.setattr(hooks, "brought", lambda *_: [("odd", thing)])
    with pytest.raises(SettingsError, match="odd is no hook"):
        hooks_of(Settings())
