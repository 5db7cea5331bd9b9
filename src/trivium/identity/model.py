"""Users and keys as the rest of the gateway sees them."""

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum, unique
from ipaddress import IPv4Network, IPv6Network
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits

InForce: TypeAlias = Callable[[], Awaitable[None]]
"""Puts in force what was just committed, where that can be done at once. Raises nothing."""


async def left_to_others() -> None:
    """Do nothing: there is no snapshot here, and running gateways find the change by themselves."""


Network: TypeAlias = IPv4Network | IPv6Network


@unique
class UserKind(Enum):
    """Who or what has an account."""

    PERSON = "person"
    TEAM = "team"
    SERVICE = "service"
    """A service account of a team: it has keys and no login."""
    ERASED = "erased"
    """A person whose data was erased: the row stays for what the books name by its id."""


@unique
class UserRole(Enum):
    """What a user may do beyond using models."""

    USER = "user"
    ADMIN = "admin"


class User(msgspec.Struct, frozen=True, kw_only=True):
    """Whoever has an account: a person, a team or a service account. Balances live in
    ``ledger/``.
    """

    id: int
    name: str
    email: str
    """Empty for teams and service accounts."""
    kind: UserKind = UserKind.PERSON
    team_id: int | None = None
    """Of a service account: whose it is."""
    email_verified: bool = False
    """Whether somebody has shown that letters to the address reach them."""
    role: UserRole = UserRole.USER
    disabled: bool = False
    unlimited: bool = False
    """Spends without a balance."""
    group: str = ""
    """Price group (``[groups]`` of the settings); empty for none."""
    created_at: int = 0
    """Seconds since the epoch."""
    limits: RateLimits | None = None
    """Over all keys together; ``None``: none."""
    language: str | None = None
    """In which pages are read, as chosen; ``None``: as the browser has it."""
    theme: str | None = None
    """``light``, ``dark`` or ``system``; ``None``: as the browser has it."""
    budget_letters: bool = True
    """Whether letters about budgets come to them: of their keys, and of teams that they own or
    whose bills they read."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A gateway key without its secret."""

    id: int
    user_id: int
    name: str
    hint: str
    """The last four characters, to tell keys apart."""
    models: tuple[str, ...] = ()
    """Allowed model names; empty allows all. A trailing ``*`` matches a prefix."""
    expires_at: int | None = None
    """Seconds since the epoch; ``None``: never."""
    disabled: bool = False
    """Revoked, which is for good."""
    paused: bool = False
    """Refused until it is resumed."""
    created_at: int = 0
    last_used_at: int | None = None
    """Seconds since the epoch of the last request record; ``None``: none is kept."""
    strict: bool = False
    """Whether whatever a translation would leave out is refused instead."""
    header_only: bool = False
    """Whether it is refused where it comes in an address (``?key=``)."""
    limits: RateLimits | None = None
    budgets: tuple[Budget, ...] = ()
    networks: tuple[str, ...] = ()
    """Networks it may be used from, as CIDR; empty: from anywhere."""
    end_user_requests: int | None = None
    """Requests a minute for each end user whom its requests are for; ``None``: no limit."""
    end_user_budgets: tuple[Budget, ...] = ()
    """What each of them may cost."""
    grant_id: int | None = None
    """The consent under which an application was given it; ``None``: it is the user's own."""
    team_id: int | None = None
    """The team that it spends for; ``None``: the user's own account."""
    former_until: int | None = None
    """Until when the secret before the last rotation works, in seconds since the epoch; ``None``:
    there is none.
    """


AllowList: TypeAlias = tuple[frozenset[str], tuple[str, ...]]
"""Exact names of models, and prefixes; both empty: all."""


NO_TAGGED: Final[Mapping[str, tuple[Budget, ...]]] = MappingProxyType({})


class Caller(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The key and user of a request: the members that the hot path needs."""

    key_id: int
    user_id: int
    """Who asks: a person or a service account."""
    payer_id: int
    """Whose account pays: the user, or the team with the wallet."""
    unlimited: bool
    """The payer spends without a balance."""
    disabled: bool
    """The key is revoked or paused, or its user or a team above it disabled."""
    expires_at: float
    """Seconds since the epoch; infinity when the key never expires."""
    models: frozenset[str]
    """Exact names allowed; empty together with ``prefixes`` allows all."""
    prefixes: tuple[str, ...]
    """Allowed prefixes, from entries that end in ``*``."""
    group: str = ""
    """The user's price group; empty for none."""
    strict: bool = False
    """Whatever a translation would leave out is refused instead, as by ``trivium-strict``."""
    header_only: bool = False
    """The key is refused where it comes in an address (``?key=``)."""
    limits: RateLimits | None = None
    """The key's; ``None``: none."""
    user_limits: RateLimits | None = None
    """The user's, over all keys together; ``None``: none."""
    budgets: tuple[Budget, ...] = ()
    """All that a request of this key counts against, each with its scope."""
    end_user_limits: RateLimits | None = None
    """Of each end user whom its requests are for; ``None``: none."""
    end_user_budgets: tuple[Budget, ...] = ()
    """What each of them may cost."""
    tagged: Mapping[str, tuple[Budget, ...]] = NO_TAGGED
    """What a request with a tag counts against, by the tag: budgets of the teams above."""
    tagged_everywhere: Mapping[str, tuple[Budget, ...]] = NO_TAGGED
    """Likewise, budgets over all keys there are: one mapping that all share and that changes."""
    networks: tuple[Network, ...] = ()
    """Where the key may be used from; empty: anywhere."""
    grant_id: int = 0
    """The consent under which an application was given the key; 0: it is the user's own."""
    team_id: int = 0
    """The team that the key spends for; 0: none."""
    narrowed: tuple[AllowList, ...] = ()
    """What the teams above allow: a model must be in all of them."""
    team_limits: tuple[tuple[int, RateLimits], ...] = ()
    """Limits of the teams above, over all their keys together."""
    revoked: bool = False
    """Disabled for good: a user's own will never spend again, an application's may be given again
    with another secret."""
    any_model: bool = False
    """Whether it is known that no list narrows what it may use."""
    any_rate: bool = False
    """Whether it is known that no limit of its own or above it, or of whom its requests are for,
    can refuse one."""

    @property
    def has_budgets(self) -> bool:
        """Whether what a request of it may cost matters, whoever it is for and whatever it says."""
        return bool(self.budgets or self.end_user_budgets or self.tagged or self.tagged_everywhere)

    @property
    def owner_id(self) -> int:
        """The owner of stored responses and traces: an application's are not its user's."""
        return -self.grant_id or self.user_id

    def may_use(self, model: str) -> bool:
        """Whether the allow-lists of the key and of the teams above let it use this model."""
        own = self.models, self.prefixes
        if (self.models or self.prefixes) and not _allows(own, model):
            return False
        return all(_allows(each, model) for each in self.narrowed)


def _allows(allowed: AllowList, model: str) -> bool:
    models, prefixes = allowed
    return model in models or any(model.startswith(prefix) for prefix in prefixes)
