"""What every table of the file has in common."""

from trivium.settings.section import Section


class Example(Section, frozen=True):
    """A table with a secret in it."""

    password: str


def test_what_is_written_in_a_table_is_never_shown():
    """Keys and passwords may stand in any of them, so a representation shows none of it."""
    assert "Example(...)" == repr(Example(password="hunter2"))
