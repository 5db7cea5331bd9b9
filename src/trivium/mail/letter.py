"""A letter, ready to be sent."""

import msgspec


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """Plain text to one mailbox."""

    to: str
    subject: str
    text: str

    def __repr__(self) -> str:
        """Leave out the text, because the links in it give access."""
        return f"Letter(subject={self.subject!r})"
