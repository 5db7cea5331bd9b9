"""Leases that others want, and entries and acts that cannot be replaced either."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0022"
down_revision: str | None = "0021"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Columns with constant defaults: no row is rewritten."""
    for name in ("called", "answered"):
        column = sa.Column(name, BIG, server_default=sa.text("0"), nullable=False)
        op.add_column("leases", column)
    if op.get_bind().dialect.name == "sqlite":
        # INSERT OR REPLACE deletes what is in its way without asking the triggers on DELETE
        op.execute(
            "CREATE TRIGGER entries_replace BEFORE INSERT ON entries WHEN EXISTS "
            "(SELECT 1 FROM entries WHERE id = NEW.id OR request_id = NEW.request_id) "
            "BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END"
        )
        op.execute(
            "CREATE TRIGGER acts_replace BEFORE INSERT ON acts WHEN EXISTS "
            "(SELECT 1 FROM acts WHERE id = NEW.id) "
            "BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END"
        )
