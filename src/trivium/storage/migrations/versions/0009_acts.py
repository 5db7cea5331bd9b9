"""Security-relevant acts: written once, deleted only when they are old."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEPT_S: Final = 30 * 86_400
"""The shortest retention, which the settings know as well."""


def upgrade() -> None:
    """One new table with its triggers."""
    op.create_table(
        "acts",
        sa.Column("id", BIG, nullable=False),
        sa.Column("at_ms", BIG, nullable=False),
        sa.Column("actor_id", BIG, nullable=True),
        sa.Column("subject_id", BIG, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_acts"),
    )
    op.create_index("ix_acts_at_ms", "acts", ["at_ms"])
    for column in ("actor_id", "subject_id", "kind"):
        op.create_index(f"ix_acts_{column}_id", "acts", [column, "id"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER acts_update BEFORE UPDATE ON acts "
            "BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END"
        )
        op.execute(
            "CREATE TRIGGER acts_delete BEFORE DELETE ON acts "
            f"WHEN OLD.at_ms > (CAST(strftime('%s', 'now') AS INTEGER) - {KEPT_S}) * 1000 "
            "BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END"
        )
    else:
        op.execute(
            "CREATE FUNCTION refuse_acts_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF TG_OP = 'DELETE' AND OLD.at_ms <= "
            f"(extract(epoch from clock_timestamp())::bigint - {KEPT_S}) * 1000 "
            "THEN RETURN OLD; END IF; "
            "RAISE EXCEPTION 'acts are append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER acts_change BEFORE UPDATE OR DELETE ON acts "
            "FOR EACH ROW EXECUTE FUNCTION refuse_acts_change()"
        )
