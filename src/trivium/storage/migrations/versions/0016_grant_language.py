"""The language in which a user agreed, for letters that no page of theirs causes."""

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """A column that is English where nobody knows."""
    op.add_column(
        "oauth_grants", sa.Column("language", sa.Text(), nullable=False, server_default="en")
    )
