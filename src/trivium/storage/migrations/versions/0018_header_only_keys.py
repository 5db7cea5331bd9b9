"""Keys that are not taken from an address."""

import sqlalchemy as sa
from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """A column with a constant default: no row is rewritten."""
    op.add_column(
        "keys", sa.Column("header_only", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
