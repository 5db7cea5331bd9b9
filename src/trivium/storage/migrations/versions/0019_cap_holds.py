"""Requests under a cap are rows while they run: all workers together keep to it."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """A new table."""
    op.create_table(
        "oauth_cap_holds",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("grant_id", BIG, nullable=False),
        sa.Column("nanos", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("request_id", name="pk_oauth_cap_holds"),
        sa.ForeignKeyConstraint(
            ["grant_id"],
            ["oauth_grants.id"],
            name="fk_oauth_cap_holds_grant_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_oauth_cap_holds_grant_id", "oauth_cap_holds", ["grant_id"])
    op.create_index("ix_oauth_cap_holds_expires_at", "oauth_cap_holds", ["expires_at"])
