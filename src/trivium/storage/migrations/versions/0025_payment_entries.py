"""An index of the entries that are no usage: among a hundred thousand, those that somebody paid."""

import sqlalchemy as sa
from alembic import op

revision: str = "0025"
down_revision: str | None = "0024"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Every entry is read once; few are in it."""
    others = sa.text("kind <> 'usage'")
    op.create_index(
        "ix_entries_payments",
        "entries",
        ["user_id", "id"],
        postgresql_where=others,
        sqlite_where=others,
    )
