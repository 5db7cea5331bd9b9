"""Sessions and other parts of a person's account, as pages see them."""

from enum import Enum, unique
from typing import Final

import msgspec

from trivium.identity.model import User, UserRole

CONFIRMED_S: Final = 600
"""For so long after a proof of identity, sensitive acts ask for no other."""
AGENT_CHARS_MAX: Final = 200
ADDRESS_CHARS_MAX: Final = 45
"""The longest IPv6 address, with an IPv4 address inside."""


@unique
class Way(Enum):
    """How a user proved who they are."""

    PASSWORD = "password"  # noqa: S105 - a way in, not a password
    PASSKEY = "passkey"
    OUTSIDE = "outside"
    """A provider that the operator trusts."""
    LETTER = "letter"
    """A link that was sent to their address, or an invitation."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A browser in which somebody logged in before."""

    user_id: int
    value: str
    """A random value of this browser."""


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """The other end of the connection: address, browser, language."""

    address: str = ""
    """IP address; empty when it is not known: nothing is then counted by it."""
    agent: str = ""
    """What the program calls itself. Anybody may write anything there."""
    language: str = "en"
    """Of the pages, and so of letters: ``en`` or ``zh``."""
    device: Device | None = None
    """``None``: nobody logged in from there before, as far as it can show."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A login that lasts. Times are seconds since the epoch."""

    id: int
    user: User
    created_at: int
    seen_at: int
    """To within five minutes."""
    expires_at: int
    """At the latest."""
    confirmed_at: int
    """When the user last proved who they are."""
    way: Way
    address: str
    agent: str

    def is_confirmed(self, now: float) -> bool:
        """Whether sensitive acts need no other proof."""
        # a proof from the future is of a clock that was ahead, and would hold until then
        return abs(now - self.confirmed_at) <= CONFIRMED_S


class LoggedIn(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a complete login: the user and the token of a new session."""

    user: User
    token: str
    """Of the session: for the cookie, and nowhere else."""

    def __repr__(self) -> str:
        """Leave out the token, which must not reach a log."""
        return f"LoggedIn(user={self.user.id})"


class HalfWay(msgspec.Struct, frozen=True, kw_only=True):
    """The password was right and a second factor is asked for: nobody is logged in yet."""

    token: str
    """Of this step, which lasts ten minutes."""

    def __repr__(self) -> str:
        """Leave out the token, which must not reach a log."""
        return "HalfWay(...)"


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """Permission to make one account."""

    id: int
    email: str | None
    """Whom it is for; ``None``: whoever has the link."""
    role: UserRole
    created_at: int
    expires_at: int


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a link to make an account holds, before it is used."""

    email: str | None
    """The address the account will have; ``None``: the person says."""
    role: UserRole
    proven: bool
    """Whether the link itself was sent to that address."""
