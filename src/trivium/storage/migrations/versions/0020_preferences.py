"""Language and colours of people's pages, as they have chosen."""

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0019"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Columns that are empty: no row is rewritten."""
    op.add_column("users", sa.Column("language", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("theme", sa.Text(), nullable=True))
