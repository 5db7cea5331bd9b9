"""What usage came to a day, kept beside the entries that it is the sum of."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0024"
down_revision: str | None = "0023"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add up what is there: one pass over the entries."""
    op.create_table(
        "usage_days",
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), autoincrement=False),
        sa.Column("day", BIG, autoincrement=False),
        sa.Column("nanos", BIG, nullable=False),
        sa.Column("entries", BIG, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "day"),
    )
    op.execute(
        "INSERT INTO usage_days (user_id, day, nanos, entries) "
        "SELECT user_id, created_at / 86400, SUM(-amount_nanos), COUNT(*) FROM entries "
        "WHERE kind = 'usage' GROUP BY user_id, created_at / 86400"
    )
