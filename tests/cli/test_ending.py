"""Expected failures end in readable lines; bugs keep their traceback."""

import pytest

from trivium.cli.ending import ending
from trivium.cli.output import Failed
from trivium.faults import Fault, Kind
from trivium.identity.errors import IdentityError
from trivium.ledger.errors import LedgerError
from trivium.settings.errors import SettingsError
from trivium.storage.errors import SchemaStale, StorageDown


@pytest.mark.parametrize(
    ("exc", "code", "lines"),
    [
        (Failed("no"), 1, ["no"]),
        (Failed("wrong usage", code=2), 2, ["wrong usage"]),
        (SettingsError("a.toml:1: x", "a.toml:2: y"), 1, ["a.toml:1: x", "a.toml:2: y"]),
        (StorageDown("gone"), 1, ["gone"]),
        (SchemaStale("old"), 1, ["old"]),
        (IdentityError("user", "none"), 1, ["user: none"]),
        (LedgerError("no amount"), 1, ["no amount"]),
        (Fault(Kind.MALFORMED_JSON, "not JSON"), 1, ["not JSON"]),
    ],
)
def test_what_was_foreseen_is_told(capsys, exc, code, lines):
    """One line for each thing that is wrong."""
    assert code == ending(exc)
    assert ("", "".join(f"trivium: {line}\n" for line in lines)) == capsys.readouterr()


@pytest.mark.parametrize("exc", [RuntimeError("bug"), KeyError("x"), OSError(5, "io")])
def test_what_was_not_foreseen_is_left_alone(capsys, exc):
    """A bug must not look like a mistake of the user's."""
    assert ending(exc) is None
    assert capsys.readouterr() == ("", "")
