"""Jobs that outlive their request, and holds that outlive the worker."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Two new tables."""
    op.create_table(
        "holds",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("bill", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("request_id", name="pk_holds"),
        sa.ForeignKeyConstraint(["user_id"], ["accounts.user_id"], name="fk_holds_user_id"),
    )
    op.create_index("ix_holds_user_id", "holds", ["user_id"])
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("key_id", BIG, nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("credential", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("upstream_model", sa.Text(), nullable=False),
        sa.Column("upstream_id", sa.Text(), nullable=True),
        sa.Column("file", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("progress", BIG, nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("size", sa.Text(), nullable=False),
        sa.Column("seconds", BIG, nullable=False),
        sa.Column("prompt", sa.LargeBinary(), nullable=False),
        sa.Column("remixed_from", sa.Text(), nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("completed_at", BIG, nullable=True),
        sa.Column("expires_at", BIG, nullable=True),
        sa.Column("kept", sa.Text(), nullable=False),
        sa.Column("assets", sa.Text(), nullable=False),
        sa.Column("looked_at", BIG, nullable=False),
        sa.Column("look_at", BIG, nullable=True),
        sa.Column("claimed_until", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("request_id", name="uq_jobs_request_id"),
    )
    op.create_index("ix_jobs_user_id_created_at_id", "jobs", ["user_id", "created_at", "id"])
    op.create_index("ix_jobs_look_at", "jobs", ["look_at"])
