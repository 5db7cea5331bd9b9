"""Applications, the consents they were given, their codes and tokens, and what they may spend."""

import sqlalchemy as sa
from alembic import op

from trivium.storage.migrations.first.types import BIG


def create() -> None:
    """Create the tables of the OAuth service."""
    _oauth_apps()
    _oauth_secrets()
    _developer_tokens()
    _oauth_requests()
    _oauth_grants()
    _oauth_families()
    _oauth_codes()
    _oauth_access_tokens()
    _oauth_refresh_tokens()
    _oauth_caps()
    _oauth_cap_holds()


def _oauth_apps() -> None:
    op.create_table(
        "oauth_apps",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("client_id", sa.Text, nullable=False, unique=True),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("trusted", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("grants", sa.Text, nullable=False),
        sa.Column("rotate_refresh", sa.Boolean, nullable=False),
        sa.Column("send_iss", sa.Boolean, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("changed_at", BIG, nullable=False),
    )


def _oauth_secrets() -> None:
    op.create_table(
        "oauth_secrets",
        sa.Column("id", BIG, primary_key=True),
        sa.Column(
            "app_id",
            BIG,
            sa.ForeignKey("oauth_apps.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG),
    )


def _developer_tokens() -> None:
    op.create_table(
        "developer_tokens",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("permissions", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("last_used_at", BIG),
        sa.Column("revoked_at", BIG),
    )


def _oauth_requests() -> None:
    op.create_table(
        "oauth_requests",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column(
            "app_id",
            BIG,
            sa.ForeignKey("oauth_apps.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id")),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("state", sa.LargeBinary),
        sa.Column("code_challenge", sa.Text),
        sa.Column("auto_authorize", sa.Boolean, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False, index=True),
        sa.Column("login_at", BIG),
    )


def _oauth_grants() -> None:
    op.create_table(
        "oauth_grants",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False),
        sa.Column(
            "app_id",
            BIG,
            sa.ForeignKey("oauth_apps.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("automatic", sa.Boolean, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("consented_at", BIG, nullable=False),
        sa.Column("first_used_at", BIG),
        sa.Column("last_used_at", BIG),
        sa.Column("revoked_at", BIG),
        sa.Column("language", sa.Text, nullable=False, server_default="en"),
        sa.Index(
            "uq_oauth_grants_user_id",
            "user_id",
            "app_id",
            unique=True,
            sqlite_where=sa.text("revoked_at IS NULL"),
            postgresql_where=sa.text("revoked_at IS NULL"),
        ),
    )


def _oauth_families() -> None:
    op.create_table(
        "oauth_families",
        sa.Column("id", BIG, primary_key=True),
        sa.Column(
            "grant_id", BIG, sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False, index=True),
        sa.Column("revoked_at", BIG),
        sa.Column("reason", sa.Text),
        sa.Index("ix_oauth_families_grant_id", "grant_id"),
    )


def _oauth_codes() -> None:
    op.create_table(
        "oauth_codes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column(
            "grant_id",
            BIG,
            sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("code_challenge", sa.Text),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False, index=True),
        sa.Column("used_at", BIG),
        sa.Column(
            "family_id", BIG, sa.ForeignKey("oauth_families.id", ondelete="SET NULL"), index=True
        ),
    )


def _oauth_access_tokens() -> None:
    op.create_table(
        "oauth_access_tokens",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column(
            "family_id",
            BIG,
            sa.ForeignKey("oauth_families.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False, index=True),
    )


def _oauth_refresh_tokens() -> None:
    op.create_table(
        "oauth_refresh_tokens",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column(
            "family_id",
            BIG,
            sa.ForeignKey("oauth_families.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("parent_id", BIG),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False, index=True),
        sa.Column("rotated_at", BIG),
        sa.Column("seed", sa.LargeBinary),
    )


def _oauth_caps() -> None:
    op.create_table(
        "oauth_caps",
        sa.Column(
            "grant_id",
            BIG,
            sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("cap_nanos", BIG, nullable=False),
        sa.Column("set_at", BIG, nullable=False),
    )


def _oauth_cap_holds() -> None:
    op.create_table(
        "oauth_cap_holds",
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column(
            "grant_id",
            BIG,
            sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("nanos", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False, index=True),
    )
