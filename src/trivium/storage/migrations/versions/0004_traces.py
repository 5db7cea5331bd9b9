"""What leads a call id or a signature back to the channel whose state it stands for."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """A new table only: nothing that runs waits for it."""
    op.create_table(
        "traces",
        sa.Column("user_id", BIG, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_traces"),
    )
    op.create_index("ix_traces_created_at", "traces", ["created_at"])
