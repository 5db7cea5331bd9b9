"""How people log in, and the log of security-relevant acts."""

from typing import Final

import sqlalchemy as sa
from alembic import op

from trivium.storage.migrations.first.types import BIG

_KEPT_S: Final = 30 * 86_400
"""The shortest retention that the settings allow."""


def create() -> None:
    """Create the tables of logins and of acts. Acts cannot be changed, nor deleted while young."""
    _sessions()
    _tickets()
    _tries()
    _outside_logins()
    _passkeys()
    _totp_secrets()
    _recovery_codes()
    _acts()


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("seen_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("confirmed_at", BIG, nullable=False),
        sa.Column("way", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Index("ix_sessions_expires_at", "expires_at"),
    )


def _tickets() -> None:
    op.create_table(
        "tickets",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), index=True),
        sa.Column("email", sa.Text),
        sa.Column("data", sa.Text, nullable=False, server_default=sa.text("'{}'")),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("used_at", BIG),
        sa.Index("ix_tickets_expires_at", "expires_at"),
    )


def _tries() -> None:
    op.create_table(
        "tries",
        sa.Column("subject", sa.LargeBinary, primary_key=True),
        sa.Column("count", BIG, nullable=False),
        sa.Column("since", BIG, nullable=False),
        sa.Column("until", BIG, nullable=False),
        sa.Column("forget_at", BIG, nullable=False),
        sa.Index("ix_tries_forget_at", "forget_at"),
    )


def _outside_logins() -> None:
    op.create_table(
        "outside_logins",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("used_at", BIG),
        sa.UniqueConstraint("issuer", "subject", name="uq_outside_logins_issuer_subject"),
    )


def _passkeys() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("credential", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("handle", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", BIG, nullable=False),
        sa.Column("transports", sa.Text, nullable=False),
        sa.Column("synced", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("used_at", BIG),
    )


def _totp_secrets() -> None:
    op.create_table(
        "totp_secrets",
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("confirmed_at", BIG),
        sa.Column("last_step", BIG, nullable=False, server_default=sa.text("0")),
    )


def _recovery_codes() -> None:
    op.create_table(
        "recovery_codes",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("used_at", BIG),
        sa.UniqueConstraint("user_id", "digest", name="uq_recovery_codes_user_id"),
    )


def _acts() -> None:
    op.create_table(
        "acts",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("at_ms", BIG, nullable=False, index=True),
        sa.Column("actor_id", BIG),
        sa.Column("subject_id", BIG),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Index("ix_acts_actor_id_id", "actor_id", "id"),
        sa.Index("ix_acts_kind_id", "kind", "id"),
        sa.Index("ix_acts_subject_id_id", "subject_id", "id"),
    )
    _keep_acts()


def _keep_acts() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER acts_update BEFORE UPDATE ON acts "
            "BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END"
        )
        op.execute(
            "CREATE TRIGGER acts_delete BEFORE DELETE ON acts "
            f"WHEN OLD.at_ms > (CAST(strftime('%s', 'now') AS INTEGER) - {_KEPT_S}) * 1000 "
            "BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END"
        )
        # INSERT OR REPLACE deletes what is in its way without asking the triggers on DELETE
        op.execute(
            "CREATE TRIGGER acts_replace BEFORE INSERT ON acts WHEN EXISTS "
            "(SELECT 1 FROM acts WHERE id = NEW.id) "
            "BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END"
        )
    else:
        op.execute(
            "CREATE FUNCTION refuse_acts_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF TG_OP = 'DELETE' AND OLD.at_ms <= "
            f"(extract(epoch from clock_timestamp())::bigint - {_KEPT_S}) * 1000 "
            "THEN RETURN OLD; END IF; "
            "RAISE EXCEPTION 'acts are append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER acts_change BEFORE UPDATE OR DELETE ON acts "
            "FOR EACH ROW EXECUTE FUNCTION refuse_acts_change()"
        )
