"""The model that was asked for, where another answered."""

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """A column that is empty: no row is rewritten."""
    op.add_column("records", sa.Column("asked_model", sa.Text(), nullable=True))
