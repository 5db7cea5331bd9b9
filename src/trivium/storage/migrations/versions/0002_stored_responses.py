"""Responses that callers may refer to later, and the ids of their items."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """New tables only: nothing that runs waits for them."""
    op.create_table(
        "stored_responses",
        sa.Column("user_id", BIG, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key_id", BIG, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("size_bytes", BIG, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_stored_responses"),
    )
    op.create_index("ix_stored_responses_expires_at", "stored_responses", ["expires_at"])
    op.create_index(
        "ix_stored_responses_user_id_size_bytes", "stored_responses", ["user_id", "size_bytes"]
    )
    op.create_table(
        "stored_items",
        sa.Column("user_id", BIG, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("response_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_stored_items"),
        sa.ForeignKeyConstraint(
            ["user_id", "response_id"],
            ["stored_responses.user_id", "stored_responses.id"],
            name="fk_stored_items_user_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index(
        "ix_stored_items_user_id_response_id", "stored_items", ["user_id", "response_id"]
    )
