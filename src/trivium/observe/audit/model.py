"""A security-relevant act, and the closed list of acts that are logged."""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final, TypeAlias

import msgspec

from trivium.observe.redact import redact_fields

Detail: TypeAlias = Mapping[str, str | int | bool | None]
"""More about an act, by name. Never a secret, a password, or what somebody typed as one."""

WHAT_CHARS_MAX: Final = 100
ADDRESS_CHARS_MAX: Final = 45
"""The longest IPv6 address, with an IPv4 address inside."""
AGENT_CHARS_MAX: Final = 200
TEXT_CHARS_MAX: Final = 200
"""One text of a detail."""
ITEMS_MAX: Final = 20
"""Texts and numbers of a detail."""
COMMAND_LINE: Final = "command line"
"""The agent of what is done at a shell."""


@unique
class ActKind(Enum):
    """Every kind of act. A stored word is never reused for another meaning."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT_EVERYWHERE = "logout_everywhere"
    SESSION_ENDED = "session_ended"
    SIGN_UP = "sign_up"
    INVITATION = "invitation"
    INVITATION_WITHDRAWN = "invitation_withdrawn"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - the name of an act
    PASSWORD_RESET = "password_reset"  # noqa: S105 - the name of an act
    EMAIL_CHANGED = "email_changed"
    SECOND_FACTOR_ON = "second_factor_on"
    SECOND_FACTOR_OFF = "second_factor_off"
    PASSKEY_ADDED = "passkey_added"
    PASSKEY_REMOVED = "passkey_removed"
    OUTSIDE_LOGIN_ADDED = "outside_login_added"
    OUTSIDE_LOGIN_REMOVED = "outside_login_removed"

    USER_CREATED = "user_created"
    USER_PROVISIONED = "user_provisioned"
    USER_DISABLED = "user_disabled"
    USER_ENABLED = "user_enabled"
    USER_EXPORTED = "user_exported"
    USER_ERASED = "user_erased"
    USER_ROLE = "user_role"
    USER_RENAMED = "user_renamed"
    USER_CHANGED = "user_changed"
    USER_CREDIT = "user_credit"
    USER_OVERDRAFT = "user_overdraft"

    TEAM_CREATED = "team_created"
    TEAM_CHANGED = "team_changed"
    TEAM_MEMBER = "team_member"
    TEAM_MEMBER_REMOVED = "team_member_removed"
    SERVICE_ACCOUNT_CREATED = "service_account_created"
    TEAM_INVITATION = "team_invitation"
    TEAM_INVITATION_WITHDRAWN = "team_invitation_withdrawn"
    SCIM_TOKEN_CREATED = "scim_token_created"  # noqa: S105 - the name of an act
    SCIM_TOKEN_REVOKED = "scim_token_revoked"  # noqa: S105 - the name of an act
    BUDGET_SET = "budget_set"
    BUDGET_REMOVED = "budget_removed"
    BUDGET_REACHED = "budget_reached"

    ANNOUNCEMENT_MADE = "announcement_made"
    ANNOUNCEMENT_ENDED = "announcement_ended"

    INVOICE_ISSUED = "invoice_issued"
    INVOICE_VOIDED = "invoice_voided"

    KEY_CREATED = "key_created"
    KEY_CHANGED = "key_changed"
    KEY_PAUSED = "key_paused"
    KEY_RESUMED = "key_resumed"
    KEY_REVOKED = "key_revoked"
    KEY_ROTATED = "key_rotated"

    CONSENT = "consent"
    AUTO_GRANT = "auto_grant"
    GRANT_REVOKED = "grant_revoked"
    CODE_ISSUED = "code_issued"
    CODE_REPLAY = "code_replay"
    TOKENS_ISSUED = "tokens_issued"
    TOKENS_REFRESHED = "tokens_refreshed"
    TOKENS_REUSED = "tokens_reused"
    TOKENS_REVOKED = "tokens_revoked"
    SPEND_CAP_SET = "spend_cap_set"
    SPEND_KEY_ISSUED = "spend_key_issued"

    APP_CREATED = "app_created"
    APP_CHANGED = "app_changed"
    APP_SUSPENDED = "app_suspended"
    APP_RESUMED = "app_resumed"
    APP_DELETED = "app_deleted"
    APP_TRANSFERRED = "app_transferred"
    SECRET_ROTATED = "secret_rotated"  # noqa: S105 - the name of an act
    DEVELOPER_TOKEN_CREATED = "developer_token_created"  # noqa: S105 - the name of an act
    DEVELOPER_TOKEN_REVOKED = "developer_token_revoked"  # noqa: S105 - the name of an act
    ADMIN_TOKEN_CREATED = "admin_token_created"  # noqa: S105 - the name of an act
    ADMIN_TOKEN_ROTATED = "admin_token_rotated"  # noqa: S105 - the name of an act
    ADMIN_TOKEN_REVOKED = "admin_token_revoked"  # noqa: S105 - the name of an act

    TOP_UP_STARTED = "top_up_started"
    TOP_UP_PAID = "top_up_paid"
    TOP_UP_HELD = "top_up_held"
    TOP_UP_REFUNDED = "top_up_refunded"
    TOP_UP_DISPUTED = "top_up_disputed"
    REDEMPTION_CREATED = "redemption_created"
    REDEMPTION_REVOKED = "redemption_revoked"
    REDEEMED = "redeemed"
    CATALOGUE_CHANGED = "catalogue_changed"
    CATALOGUE_UNDONE = "catalogue_undone"
    REDEEM_FAILED = "redeem_failed"


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the audit log: who did what, to whose account, and from where."""

    id: int
    at_ms: int
    """Milliseconds since the epoch."""
    actor_id: int | None
    """Whoever did it; ``None``: nobody who is logged in, or somebody at the machine's shell."""
    subject_id: int | None
    """Whose account it concerns; ``None``: nobody's."""
    kind: str
    """The value of an ``ActKind``, or a word that a newer version stored."""
    what: str
    """Names what it was done to: ``key:12``, ``app:7``; empty where the subject says it all."""
    address: str
    """Where from; empty for what needs no network."""
    agent: str
    """What the program called itself. Anybody may write anything there: escape it."""
    detail: str
    """A JSON object; empty for none."""


def short(text: str, chars: int) -> str:
    """At most so many printable characters: a line of a log stays one line."""
    if len(text) <= chars and text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:chars])


def encoded(detail: Detail | None) -> str:
    """The detail as it is stored: masked where it looks like a credential, and bounded."""
    if not detail:
        return ""
    bounded = {
        name: short(value, TEXT_CHARS_MAX) if isinstance(value, str) else value
        for name, value in list(detail.items())[:ITEMS_MAX]
    }
    return msgspec.json.encode(redact_fields(bounded)).decode()
