"""What every table of the settings file has in common."""

import msgspec


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; a misspelt setting is an error, not silence."""

    def __repr__(self) -> str:
        """The type alone: keys and passwords may be written out in any section."""
        return f"{type(self).__name__}(...)"
