"""Data goes to standard output, everything said about it to standard error."""

import pytest

from trivium.cli import output
from trivium.cli.output import CommandFailed, exit_code
from trivium.faults import Fault, Kind
from trivium.identity.errors import IdentityError
from trivium.ledger.errors import LedgerError
from trivium.settings.errors import SettingsError
from trivium.storage.errors import SchemaStale, StorageDown


def test_columns_line_up():
    """A table can be read and cut."""
    assert output.table(("A", "LONG"), [("wide cell", "x"), ("b", "")]) == (
        "A          LONG\nwide cell  x\nb"
    )


def test_an_empty_table_has_its_heads():
    """Nothing to show is shown as such."""
    assert output.table(("A", "B"), []) == "A  B"


@pytest.mark.parametrize("evil", ["\x1b[31mred", "a\nb", "a\rb", "\u202eabc", "\x07"])
def test_what_others_wrote_cannot_drive_the_terminal(evil):
    """Names and notes come from people we do not know."""
    shown = output.printable(evil)
    assert shown.isprintable()
    assert shown in output.table(("A",), [(evil,)])


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "-"),
        (0, "1970-01-01 00:00 UTC"),
        (1_798_761_599, "2026-12-31 23:59 UTC"),
    ],
)
def test_times_are_shown_in_utc(seconds, shown):
    """Whatever the zone of the machine."""
    assert shown == output.moment(seconds)


def test_json_alone_is_standard_output(capsys):
    """Programs read it; notes do not get between."""
    output.note("by the way")
    output.as_json({"a": [1, None]})
    assert capsys.readouterr() == ('{\n  "a": [\n    1,\n    null\n  ]\n}\n', "by the way\n")


@pytest.mark.parametrize(
    ("say", "line"),
    [
        (output.note, "text\n"),
        (output.warn, "warning: text\n"),
        (output.fail, "trivium: text\n"),
    ],
)
def test_words_go_to_standard_error(capsys, say, line):
    """Each kind can be told from the others."""
    say("text")
    assert capsys.readouterr() == ("", line)


@pytest.mark.parametrize("say", [output.note, output.warn, output.fail])
def test_what_is_said_cannot_drive_the_terminal(capsys, say):
    """Lines stay lines; a vendor's or a store's words may be in them."""
    say("one \x1b]0;title\x07\u202e\ntwo \x9b2J schön")
    assert capsys.readouterr().err.endswith("one ?]0;title??\ntwo ?2J schön\n")


def test_a_failure_ends_with_one_unless_it_says_otherwise():
    """Exit codes are part of the contract."""
    assert (1, 2) == (output.CommandFailed("x").code, output.CommandFailed("x", code=2).code)


@pytest.mark.parametrize(
    ("number", "words", "expected"),
    [(0, ("channel",), "0 channels"), (1, ("channel",), "1 channel"), (2, ("channel",), "2 channels"),
     (1, ("entry", "entries"), "1 entry"), (3, ("entry", "entries"), "3 entries")],
)  # fmt: skip
def test_what_is_counted_is_named_as_people_do(number, words, expected):
    """One is one."""
    assert expected == output.counted(number, *words)


@pytest.mark.parametrize(
    ("exc", "code", "lines"),
    [
        (CommandFailed("no"), 1, ["no"]),
        (CommandFailed("wrong usage", code=2), 2, ["wrong usage"]),
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
    assert code == exit_code(exc)
    assert ("", "".join(f"trivium: {line}\n" for line in lines)) == capsys.readouterr()


@pytest.mark.parametrize("exc", [RuntimeError("bug"), KeyError("x"), OSError(5, "io")])
def test_what_was_not_foreseen_is_left_alone(capsys, exc):
    """A bug must not look like a mistake of the user's."""
    assert exit_code(exc) is None
    assert capsys.readouterr() == ("", "")
