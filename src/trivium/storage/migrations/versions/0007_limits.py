"""Limits of keys and users, budgets of keys, and the addresses a key may be used from."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Columns that are empty or have a constant default: no row is rewritten."""
    for table in ("users", "keys"):
        op.add_column(table, sa.Column("requests_per_minute", BIG, nullable=True))
        op.add_column(table, sa.Column("tokens_per_minute", BIG, nullable=True))
        op.add_column(table, sa.Column("max_concurrency", BIG, nullable=True))
    empty = sa.text("'[]'")
    op.add_column("keys", sa.Column("budgets", sa.Text(), server_default=empty, nullable=False))
    op.add_column("keys", sa.Column("networks", sa.Text(), server_default=empty, nullable=False))
