"""What operators are shown of the upstreams' health."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """One new table."""
    op.create_table(
        "breakers",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column("openings", BIG, nullable=False),
        sa.Column("until_at", BIG, nullable=False),
        sa.Column("written_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("channel", "account", "model", name="pk_breakers"),
    )
    op.create_index("ix_breakers_until_at", "breakers", ["until_at"])
