"""The OAuth service: applications, consent, codes and tokens."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Nine new tables."""
    _apps()
    _consent()
    _codes()
    _tokens()


def _apps() -> None:
    op.create_table(
        "oauth_apps",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("trusted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("grants", sa.Text(), nullable=False),
        sa.Column("rotate_refresh", sa.Boolean(), nullable=False),
        sa.Column("send_iss", sa.Boolean(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("changed_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_oauth_apps_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_apps"),
        sa.UniqueConstraint("client_id", name="uq_oauth_apps_client_id"),
    )
    op.create_index("ix_oauth_apps_user_id", "oauth_apps", ["user_id"])
    op.create_table(
        "oauth_secrets",
        sa.Column("id", BIG, nullable=False),
        sa.Column("app_id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["app_id"], ["oauth_apps.id"], name="fk_oauth_secrets_app_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_secrets"),
    )
    op.create_index("ix_oauth_secrets_app_id", "oauth_secrets", ["app_id"])
    op.create_table(
        "developer_tokens",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("permissions", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("last_used_at", BIG, nullable=True),
        sa.Column("revoked_at", BIG, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_developer_tokens_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_developer_tokens"),
        sa.UniqueConstraint("digest", name="uq_developer_tokens_digest"),
    )
    op.create_index("ix_developer_tokens_user_id", "developer_tokens", ["user_id"])


def _consent() -> None:
    op.create_table(
        "oauth_requests",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("app_id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=True),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=True),
        sa.Column("code_challenge", sa.Text(), nullable=True),
        sa.Column("auto_authorize", sa.Boolean(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("login_at", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["app_id"], ["oauth_apps.id"], name="fk_oauth_requests_app_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_oauth_requests_user_id"),
        sa.PrimaryKeyConstraint("digest", name="pk_oauth_requests"),
    )
    op.create_index("ix_oauth_requests_app_id", "oauth_requests", ["app_id"])
    op.create_index("ix_oauth_requests_expires_at", "oauth_requests", ["expires_at"])
    op.create_table(
        "oauth_grants",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("app_id", BIG, nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("automatic", sa.Boolean(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("consented_at", BIG, nullable=False),
        sa.Column("first_used_at", BIG, nullable=True),
        sa.Column("last_used_at", BIG, nullable=True),
        sa.Column("revoked_at", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["app_id"], ["oauth_apps.id"], name="fk_oauth_grants_app_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_oauth_grants_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_grants"),
    )
    op.create_index("ix_oauth_grants_app_id", "oauth_grants", ["app_id"])
    op.create_index(
        "uq_oauth_grants_user_id",
        "oauth_grants",
        ["user_id", "app_id"],
        unique=True,
        sqlite_where=sa.text("revoked_at IS NULL"),
        postgresql_where=sa.text("revoked_at IS NULL"),
    )


def _codes() -> None:
    op.create_table(
        "oauth_families",
        sa.Column("id", BIG, nullable=False),
        sa.Column("grant_id", BIG, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("revoked_at", BIG, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["grant_id"], ["oauth_grants.id"], name="fk_oauth_families_grant_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_families"),
    )
    op.create_index("ix_oauth_families_expires_at", "oauth_families", ["expires_at"])
    op.create_index("ix_oauth_families_grant_id", "oauth_families", ["grant_id"])
    op.create_table(
        "oauth_codes",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("grant_id", BIG, nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("code_challenge", sa.Text(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("used_at", BIG, nullable=True),
        sa.Column("family_id", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["family_id"],
            ["oauth_families.id"],
            name="fk_oauth_codes_family_id",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["grant_id"], ["oauth_grants.id"], name="fk_oauth_codes_grant_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_oauth_codes"),
    )
    op.create_index("ix_oauth_codes_expires_at", "oauth_codes", ["expires_at"])
    op.create_index("ix_oauth_codes_family_id", "oauth_codes", ["family_id"])
    op.create_index("ix_oauth_codes_grant_id", "oauth_codes", ["grant_id"])


def _tokens() -> None:
    op.create_table(
        "oauth_access_tokens",
        sa.Column("id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("family_id", BIG, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["family_id"],
            ["oauth_families.id"],
            name="fk_oauth_access_tokens_family_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_access_tokens"),
        sa.UniqueConstraint("digest", name="uq_oauth_access_tokens_digest"),
    )
    op.create_index("ix_oauth_access_tokens_expires_at", "oauth_access_tokens", ["expires_at"])
    op.create_index("ix_oauth_access_tokens_family_id", "oauth_access_tokens", ["family_id"])
    op.create_table(
        "oauth_refresh_tokens",
        sa.Column("id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("family_id", BIG, nullable=False),
        sa.Column("parent_id", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("rotated_at", BIG, nullable=True),
        sa.Column("seed", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["family_id"],
            ["oauth_families.id"],
            name="fk_oauth_refresh_tokens_family_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_refresh_tokens"),
        sa.UniqueConstraint("digest", name="uq_oauth_refresh_tokens_digest"),
    )
    op.create_index("ix_oauth_refresh_tokens_expires_at", "oauth_refresh_tokens", ["expires_at"])
    op.create_index("ix_oauth_refresh_tokens_family_id", "oauth_refresh_tokens", ["family_id"])
