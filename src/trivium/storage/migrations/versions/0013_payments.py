"""Payments through providers, and the events that were heard of them."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: str | None = None
depends_on: str | None = None

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Two new tables."""
    op.create_table(
        "payments",
        sa.Column("id", BIG, nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("app_id", BIG, nullable=True),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("charge", sa.Text(), nullable=True),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("refunded_nanos", BIG, server_default=sa.text("0"), nullable=False),
        sa.Column("disputed_at", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("paid_at", BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_payments"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_payments_user_id"),
        sa.UniqueConstraint("reference", name="uq_payments_reference"),
        sa.UniqueConstraint("provider", "session_id", name="uq_payments_provider"),
    )
    op.create_index("ix_payments_provider_charge", "payments", ["provider", "charge"])
    op.create_index("ix_payments_user_id_id", "payments", ["user_id", "id"])
    op.create_table(
        "payment_events",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("payment_id", BIG, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("provider", "event_id", name="pk_payment_events"),
        sa.ForeignKeyConstraint(
            ["payment_id"], ["payments.id"], name="fk_payment_events_payment_id"
        ),
    )
    op.create_index("ix_payment_events_payment_id", "payment_events", ["payment_id"])
