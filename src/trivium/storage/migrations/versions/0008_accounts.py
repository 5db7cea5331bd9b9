"""Sessions, single-use tickets, counted tries, second factors, passkeys and outside logins."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """New tables, and one column that is empty."""
    op.add_column("users", sa.Column("email_verified_at", BIG, nullable=True))
    _sessions()
    _tickets()
    _factors()
    _logins()


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("seen_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("confirmed_at", BIG, nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id"),
        sa.UniqueConstraint("digest", name="uq_sessions_digest"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])


def _tickets() -> None:
    op.create_table(
        "tickets",
        sa.Column("id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("user_id", BIG, nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("used_at", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tickets"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_tickets_user_id"),
        sa.UniqueConstraint("digest", name="uq_tickets_digest"),
    )
    op.create_index("ix_tickets_user_id", "tickets", ["user_id"])
    op.create_index("ix_tickets_expires_at", "tickets", ["expires_at"])
    op.create_table(
        "tries",
        sa.Column("subject", sa.LargeBinary(), nullable=False),
        sa.Column("count", BIG, nullable=False),
        sa.Column("since", BIG, nullable=False),
        sa.Column("until", BIG, nullable=False),
        sa.Column("forget_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_tries"),
    )
    op.create_index("ix_tries_forget_at", "tries", ["forget_at"])


def _factors() -> None:
    op.create_table(
        "totp_secrets",
        sa.Column("user_id", BIG, autoincrement=False, nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("confirmed_at", BIG, nullable=True),
        sa.Column("last_step", BIG, server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_totp_secrets"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_totp_secrets_user_id"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("used_at", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_recovery_codes"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_recovery_codes_user_id"),
        sa.UniqueConstraint("user_id", "digest", name="uq_recovery_codes_user_id"),
    )


def _logins() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("handle", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", BIG, nullable=False),
        sa.Column("transports", sa.Text(), nullable=False),
        sa.Column("synced", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("used_at", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_passkeys_user_id"),
        sa.UniqueConstraint("credential", name="uq_passkeys_credential"),
    )
    op.create_index("ix_passkeys_user_id", "passkeys", ["user_id"])
    op.create_table(
        "outside_logins",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("used_at", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_outside_logins"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_outside_logins_user_id"),
        sa.UniqueConstraint("issuer", "subject", name="uq_outside_logins_issuer_subject"),
    )
    op.create_index("ix_outside_logins_user_id", "outside_logins", ["user_id"])
