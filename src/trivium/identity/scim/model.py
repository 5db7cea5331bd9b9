"""What a directory provisions, as the rest of the gateway sees it. Pure."""

from typing import Final

import msgspec

USER_URN: Final = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP_URN: Final = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH_URN: Final = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
LIST_URN: Final = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
ERROR_URN: Final = "urn:ietf:params:scim:api:messages:2.0:Error"

PAGE_MAX: Final = 100
"""Resources of one page."""
OPERATIONS_MAX: Final = 1000
"""Of one PATCH."""
MEMBERS_MAX: Final = 10_000
"""Of one group, and of all groups of one page."""
CHANGES_MAX: Final = 1000
"""Members that one request adds or removes."""
TEXT_CHARS_MAX: Final = 256
"""Of any text that is kept."""


class ScimError(Exception):
    """Something that a directory asked for is refused, as RFC 7644 section 3.12 has it."""

    def __init__(
        self, status: int, detail: str, scim_type: str = "", retry_after: int | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.scim_type = scim_type
        """One of the words of the RFC; empty where none fits."""
        self.retry_after = retry_after


class ScimDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """Whose word a token is."""

    token_id: int
    team_id: int
    """The organisation or team below which everything is."""
    domains: tuple[str, ...] = ()
    """Of e-mail addresses whose owner the directory is, in lower case."""

    @property
    def via(self) -> str:
        """As the memberships that it makes name it."""
        return str(self.team_id)

    def owns(self, email: str) -> bool:
        """Whether it is believed about an address."""
        return email.rpartition("@")[2].lower() in self.domains


class ScimToken(msgspec.Struct, frozen=True, kw_only=True):
    """A directory's token without its secret. Times are seconds since the epoch."""

    id: int
    directory_id: int
    hint: str
    name: str
    domains: tuple[str, ...] = ()
    created_at: int = 0
    expires_at: int = 0
    last_used_at: int | None = None
    revoked_at: int | None = None

    def state(self, now: float) -> str:
        """``live``, ``revoked`` or ``expired``."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= now else "live"


class ScimProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What a directory says about a person, as far as it is kept."""

    user_name: str
    email: str
    """As it was given; the account has the form that addresses are stored in."""
    active: bool = True
    external_id: str | None = None
    display_name: str | None = None
    formatted: str | None = None
    given_name: str | None = None
    family_name: str | None = None


class ScimUser(msgspec.Struct, frozen=True, kw_only=True):
    """A person of a directory."""

    id: int
    profile: ScimProfile
    """``active``: whether the account is enabled here, whoever disabled it."""
    locked: bool
    """Whether it was this directory that disabled the account."""
    made_here: bool
    """Whether the account came by the directory, rather than being found."""
    created_at: int
    changed_at: int
    groups: tuple[tuple[int, str], ...] = ()
    """Ids and names of the directory's groups that they are in."""


class ScimGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A team as a group of a directory."""

    id: int
    display_name: str
    external_id: str | None
    created_at: int
    changed_at: int
    members: tuple[tuple[int, str], ...] | None = None
    """Ids and names; ``None``: not looked up."""
