"""What applications may spend: a cap beside each consent, and keys that belong to one."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """A table and an empty column."""
    op.create_table(
        "oauth_caps",
        sa.Column("grant_id", BIG, autoincrement=False, nullable=False),
        sa.Column("cap_nanos", BIG, nullable=False),
        sa.Column("set_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("grant_id", name="pk_oauth_caps"),
        sa.ForeignKeyConstraint(
            ["grant_id"], ["oauth_grants.id"], name="fk_oauth_caps_grant_id", ondelete="CASCADE"
        ),
    )
    op.add_column("keys", sa.Column("grant_id", BIG, nullable=True))
    op.create_index("ix_keys_grant_id", "keys", ["grant_id"])
