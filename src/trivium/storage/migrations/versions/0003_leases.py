"""Allowances that workers lease from accounts, and the bill explained beside each entry."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Columns with constant defaults and a new table: no row is rewritten."""
    zero = sa.text("0")
    empty = sa.text("''")
    op.add_column("accounts", sa.Column("leased_nanos", BIG, server_default=zero, nullable=False))
    op.add_column(
        "accounts", sa.Column("overdraft_nanos", BIG, server_default=zero, nullable=False)
    )
    op.add_column("entries", sa.Column("detail", sa.Text(), server_default=empty, nullable=False))
    op.add_column(
        "users", sa.Column("price_group", sa.Text(), server_default=empty, nullable=False)
    )
    op.create_table(
        "leases",
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("user_id", BIG, autoincrement=False, nullable=False),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("renewed_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("worker", "user_id", name="pk_leases"),
        sa.ForeignKeyConstraint(["user_id"], ["accounts.user_id"], name="fk_leases_user_id"),
    )
    op.create_index("ix_leases_renewed_at", "leases", ["renewed_at"])
