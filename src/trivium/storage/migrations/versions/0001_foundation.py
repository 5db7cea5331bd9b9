"""Users, keys, accounts, entries and request records."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create everything; on an empty database nobody waits for these locks."""
    _identity()
    _ledger()
    _records()


def _identity() -> None:
    op.create_table(
        "users",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("disabled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("unlimited", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
        sa.UniqueConstraint("email", name="uq_users_email"),
    )
    op.create_table(
        "keys",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("expires_at", BIG, nullable=True),
        sa.Column("disabled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_keys_user_id"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
    )
    op.create_index("ix_keys_user_id", "keys", ["user_id"])
    op.create_index("ix_keys_revision_id", "keys", ["revision", "id"])
    single = op.create_table(
        "revision",
        sa.Column("id", BIG, nullable=False),
        sa.Column("value", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
        sa.CheckConstraint("id = 1", name=op.f("ck_revision_single")),
    )
    op.bulk_insert(single, [{"id": 1, "value": 0}])


def _ledger() -> None:
    op.create_table(
        "accounts",
        sa.Column("user_id", BIG, autoincrement=False, nullable=False),
        sa.Column("balance_nanos", BIG, nullable=False),
        sa.Column("used_nanos", BIG, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_accounts"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_accounts_user_id"),
    )
    op.create_table(
        "entries",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_entries"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_entries_user_id"),
        sa.UniqueConstraint("request_id", name="uq_entries_request_id"),
    )
    op.create_index("ix_entries_user_id_id", "entries", ["user_id", "id"])
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER entries_{verb.lower()} BEFORE {verb} ON entries "
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


def _records() -> None:
    counters = (
        "fresh",
        "cache_read",
        "cache_write_short",
        "cache_write_long",
        "output",
        "reasoning",
        "audio_input",
        "audio_output",
        "image_input",
        "image_output",
        "duration_ms",
        "characters",
        "requests",
    )
    op.create_table(
        "records",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("at_ms", BIG, nullable=False),
        sa.Column("key_id", BIG, nullable=True),
        sa.Column("user_id", BIG, nullable=True),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("upstream_model", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("stream", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("first_byte_us", BIG, nullable=True),
        sa.Column("total_us", BIG, nullable=False),
        sa.Column("bytes_in", BIG, nullable=False),
        sa.Column("bytes_out", BIG, nullable=False),
        sa.Column("end_user", sa.Text(), nullable=False),
        *(sa.Column(name, BIG, nullable=True) for name in counters),
        sa.Column("estimated", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("request_id", name="pk_records"),
    )
    op.create_index("ix_records_user_id_at_ms", "records", ["user_id", "at_ms"])
    op.create_index("ix_records_key_id_at_ms", "records", ["key_id", "at_ms"])
    op.create_index("ix_records_at_ms", "records", ["at_ms"])
