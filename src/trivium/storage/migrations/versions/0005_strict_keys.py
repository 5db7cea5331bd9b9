"""Keys whose requests may lose nothing, and what a translation left out beside each record."""

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Columns that are empty or have a constant default: no row is rewritten."""
    op.add_column(
        "keys", sa.Column("strict", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column("records", sa.Column("dropped", sa.Text(), nullable=True))
    op.add_column("records", sa.Column("repaired", sa.Text(), nullable=True))
