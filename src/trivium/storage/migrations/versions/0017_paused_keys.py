"""Keys that are refused for a while."""

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | None = "0016"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """A column with a constant default: no row is rewritten."""
    op.add_column(
        "keys", sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
