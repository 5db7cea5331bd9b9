"""Which secret the nodes of this database have in common."""

import sqlalchemy as sa
from alembic import op

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

revision: str = "0023"
down_revision: str | None = "0022"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """One row, which the first node that starts writes."""
    op.create_table(
        "secret_mark",
        sa.Column("id", BIG, nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_secret_mark_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_secret_mark")),
    )
