"""Messages show values short, and name their kind."""

import pytest

from trivium.settings.errors import SettingsError, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        pytest.param(-(10**5000), "a number of so many digits", id="long"),
        (1.25, "1.25"),
        ("a", 'the text "a"'),
        ("a\nb", 'the text "a\\nb"'),
        ({}, "a table"),
        ([1], "a list"),
    ],
)
def test_a_value_is_shown_as_the_operator_knows_it(value, text):
    """TOML's own words, on one line."""
    assert text == shown(value)


def test_a_long_value_is_cut():
    """A pasted certificate does not fill the screen."""
    assert len(shown("x" * 10_000)) < 80


def test_an_error_reads_as_one_line_for_each_problem():
    """The message of the exception is what the command line prints."""
    error = SettingsError("one", "two")

    assert "one\ntwo" == str(error)
    assert ("one", "two") == error.lines
