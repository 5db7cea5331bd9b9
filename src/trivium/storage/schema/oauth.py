"""Applications, consent, codes and tokens of the OAuth service, and what applications may spend.

Every digest is a SHA-256.
"""

from sqlalchemy import Boolean, Column, ForeignKey, Index, LargeBinary, Text, false, text

from trivium.storage.schema.core import BIG, table

_APP = "oauth_apps.id"
_FAMILY = "oauth_families.id"
_GRANT = "oauth_grants.id"

oauth_apps = table(
    "oauth_apps",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("client_id", Text, nullable=False, unique=True),
    Column("redirect_uri", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("trusted", Boolean, nullable=False, server_default=false()),
    Column("scopes", Text, nullable=False),  # as a scope parameter
    Column("grants", Text, nullable=False),  # grant types, separated by spaces
    Column("rotate_refresh", Boolean, nullable=False),
    Column("send_iss", Boolean, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("changed_at", BIG, nullable=False),
)

oauth_secrets = table(
    "oauth_secrets",
    Column("id", BIG, primary_key=True),
    Column("app_id", BIG, ForeignKey(_APP, ondelete="CASCADE"), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False),
    Column("hint", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG),  # null: the current one
)

developer_tokens = table(
    "developer_tokens",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("hint", Text, nullable=False),
    Column("permissions", Text, nullable=False),  # separated by spaces
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("last_used_at", BIG),
    Column("revoked_at", BIG),
)

admin_tokens = table(
    "admin_tokens",
    Column("id", BIG, primary_key=True),
    # whose it is; null: the gateway's own, made at its command line
    Column("user_id", BIG, ForeignKey("users.id"), index=True),
    Column("parent_id", BIG, index=True),  # the token that made it, which may be swept
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("former_digest", LargeBinary, index=True),  # of the secret before the last rotation
    Column("former_until", BIG),
    Column("name", Text, nullable=False),
    Column("hint", Text, nullable=False),
    Column("scopes", Text, nullable=False),  # separated by spaces
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("last_used_at", BIG),
    Column("revoked_at", BIG),
)

oauth_requests = table(
    "oauth_requests",
    Column("digest", LargeBinary, primary_key=True),  # of the id that our own pages pass on
    Column("app_id", BIG, ForeignKey(_APP, ondelete="CASCADE"), nullable=False, index=True),
    Column("user_id", BIG, ForeignKey("users.id")),  # null: nobody has logged in yet
    Column("redirect_uri", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("state", LargeBinary),  # exactly as it came; null: none did
    Column("code_challenge", Text),
    Column("auto_authorize", Boolean, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False, index=True),
    # null: nobody has logged in on a page that named the application
    Column("login_at", BIG),
)

oauth_grants = table(
    "oauth_grants",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False),
    Column("app_id", BIG, ForeignKey(_APP, ondelete="CASCADE"), nullable=False, index=True),
    Column("scopes", Text, nullable=False),
    Column("automatic", Boolean, nullable=False),
    # of the page on which the user agreed last: letters about it are in it
    Column("language", Text, nullable=False, server_default="en"),
    Column("created_at", BIG, nullable=False),
    Column("consented_at", BIG, nullable=False),
    Column("first_used_at", BIG),
    Column("last_used_at", BIG),
    Column("revoked_at", BIG),
    Index(
        "uq_oauth_grants_user_id",
        "user_id",
        "app_id",
        unique=True,
        sqlite_where=text("revoked_at IS NULL"),
        postgresql_where=text("revoked_at IS NULL"),
    ),
)
"""Consent. A user has at most one that is not revoked for an application."""

oauth_families = table(
    "oauth_families",
    Column("id", BIG, primary_key=True),
    Column("grant_id", BIG, ForeignKey(_GRANT, ondelete="CASCADE"), nullable=False),
    Column("scope", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False, index=True),  # no token of it lives longer
    Column("revoked_at", BIG),
    Column("reason", Text),  # why it was revoked
    Index("ix_oauth_families_grant_id", "grant_id"),
)
"""What came of one code: all its tokens are revoked together."""

oauth_codes = table(
    "oauth_codes",
    Column("digest", LargeBinary, primary_key=True),
    Column("grant_id", BIG, ForeignKey(_GRANT, ondelete="CASCADE"), nullable=False, index=True),
    Column("redirect_uri", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("code_challenge", Text),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False, index=True),
    Column("used_at", BIG),
    Column("family_id", BIG, ForeignKey(_FAMILY, ondelete="SET NULL"), index=True),
)

oauth_access_tokens = table(
    "oauth_access_tokens",
    Column("id", BIG, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("family_id", BIG, ForeignKey(_FAMILY, ondelete="CASCADE"), nullable=False, index=True),
    Column("scope", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False, index=True),
)

oauth_refresh_tokens = table(
    "oauth_refresh_tokens",
    Column("id", BIG, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("family_id", BIG, ForeignKey(_FAMILY, ondelete="CASCADE"), nullable=False, index=True),
    Column("parent_id", BIG),  # null: it came with the code
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False, index=True),
    Column("rotated_at", BIG),
    # with the token itself and a key of the gateway it makes the successor; null: not rotated
    Column("seed", LargeBinary),
)

oauth_caps = table(
    "oauth_caps",
    Column(
        "grant_id",
        BIG,
        ForeignKey(_GRANT, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("cap_nanos", BIG, nullable=False),  # a month
    Column("set_at", BIG, nullable=False),
)
"""The most that consent lets an application spend a month. The keys it spends with are rows of
``keys`` that name the consent."""
