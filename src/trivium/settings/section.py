"""What every table of the settings file has in common."""

import msgspec


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; a misspelt setting is an error, not silence."""

    def __repr__(self) -> str:
        """Show the type alone, because any section may hold keys and passwords."""
        return f"{type(self).__name__}(...)"
