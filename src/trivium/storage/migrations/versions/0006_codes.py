"""Redemption codes: amounts that whoever holds a code may book on an account, once."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Two new tables."""
    op.create_table(
        "code_batches",
        sa.Column("id", BIG, nullable=False),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("expires_at", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_code_batches"),
    )
    op.create_table(
        "codes",
        sa.Column("id", BIG, nullable=False),
        sa.Column("batch_id", BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("revoked_at", BIG, nullable=True),
        sa.Column("redeemed_at", BIG, nullable=True),
        sa.Column("user_id", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_codes"),
        sa.ForeignKeyConstraint(["batch_id"], ["code_batches.id"], name="fk_codes_batch_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_codes_user_id"),
        sa.UniqueConstraint("digest", name="uq_codes_digest"),
    )
    op.create_index("ix_codes_batch_id", "codes", ["batch_id"])
