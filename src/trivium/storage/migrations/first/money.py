"""Balances, leases, entries, redemption codes and payments."""

import sqlalchemy as sa
from alembic import op

from trivium.storage.migrations.first.types import BIG


def create() -> None:
    """Create the tables of money; entries cannot be changed or deleted."""
    _accounts()
    _leases()
    _entries()
    _usage_days()
    _code_batches()
    _codes()
    _payments()
    _payment_events()


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
        sa.Column("balance_nanos", BIG, nullable=False),
        sa.Column("used_nanos", BIG, nullable=False),
        sa.Column("leased_nanos", BIG, nullable=False, server_default=sa.text("0")),
        sa.Column("overdraft_nanos", BIG, nullable=False, server_default=sa.text("0")),
    )


def _leases() -> None:
    op.create_table(
        "leases",
        sa.Column("worker", sa.Text, primary_key=True),
        sa.Column(
            "user_id", BIG, sa.ForeignKey("accounts.user_id"), primary_key=True, autoincrement=False
        ),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("renewed_at", BIG, nullable=False),
        sa.Column("called", BIG, nullable=False, server_default=sa.text("0")),
        sa.Column("answered", BIG, nullable=False, server_default=sa.text("0")),
        sa.Index("ix_leases_renewed_at", "renewed_at"),
    )


def _entries() -> None:
    op.create_table(
        "entries",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, unique=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("detail", sa.Text, nullable=False, server_default=sa.text("''")),
        sa.Index("ix_entries_user_id_id", "user_id", "id"),
    )
    # behind the other, always: of two indices that serve alike SQLite takes the later, and a
    # table's own are made in any order
    op.create_index(
        "ix_entries_payments",
        "entries",
        ["user_id", "id"],
        sqlite_where=sa.text("kind <> 'usage'"),
        postgresql_where=sa.text("kind <> 'usage'"),
    )
    _keep_entries()


def _usage_days() -> None:
    op.create_table(
        "usage_days",
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
        sa.Column("day", BIG, primary_key=True, autoincrement=False),
        sa.Column("nanos", BIG, nullable=False),
        sa.Column("entries", BIG, nullable=False),
    )


def _code_batches() -> None:
    op.create_table(
        "code_batches",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("expires_at", BIG),
        sa.Column("created_at", BIG, nullable=False),
    )


def _codes() -> None:
    op.create_table(
        "codes",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("batch_id", BIG, sa.ForeignKey("code_batches.id"), nullable=False, index=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("revoked_at", BIG),
        sa.Column("redeemed_at", BIG),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id")),
    )


def _payments() -> None:
    op.create_table(
        "payments",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("app_id", BIG),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text),
        sa.Column("charge", sa.Text),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("refunded_nanos", BIG, nullable=False, server_default=sa.text("0")),
        sa.Column("disputed_at", BIG),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("paid_at", BIG),
        sa.UniqueConstraint("reference"),
        sa.UniqueConstraint("provider", "session_id", name="uq_payments_provider"),
        sa.Index("ix_payments_provider_charge", "provider", "charge"),
        sa.Index("ix_payments_user_id_id", "user_id", "id"),
    )


def _payment_events() -> None:
    op.create_table(
        "payment_events",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("payment_id", BIG, sa.ForeignKey("payments.id"), nullable=False, index=True),
        sa.Column("created_at", BIG, nullable=False),
    )


def _keep_entries() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER entries_{verb.lower()} BEFORE {verb} ON entries "
                "BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END"
            )
        # INSERT OR REPLACE deletes what is in its way without asking the triggers on DELETE
        op.execute(
            "CREATE TRIGGER entries_replace BEFORE INSERT ON entries WHEN EXISTS "
            "(SELECT 1 FROM entries WHERE id = NEW.id OR request_id = NEW.request_id) "
            "BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END"
        )
    else:
        op.execute(
            "CREATE FUNCTION refuse_entries_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'entries are append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER entries_change BEFORE UPDATE OR DELETE ON entries "
            "FOR EACH ROW EXECUTE FUNCTION refuse_entries_change()"
        )
