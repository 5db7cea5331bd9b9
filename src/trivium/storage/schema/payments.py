"""Balance bought from payment providers."""

from sqlalchemy import Column, ForeignKey, Index, Table, Text, UniqueConstraint, text

from trivium.storage.schema.core import BIG, metadata

payments = Table(
    "payments",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("reference", Text, nullable=False, unique=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False),
    Column("app_id", BIG),  # no foreign key: a payment outlives the application
    Column("provider", Text, nullable=False),
    Column("session_id", Text),  # null until the provider has answered
    Column("charge", Text),
    Column("amount_nanos", BIG, nullable=False),
    Column("currency", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("refunded_nanos", BIG, nullable=False, server_default=text("0")),
    Column("disputed_at", BIG),
    Column("created_at", BIG, nullable=False),
    Column("paid_at", BIG),
    UniqueConstraint("provider", "session_id"),
    Index("ix_payments_provider_charge", "provider", "charge"),
    Index("ix_payments_user_id_id", "user_id", "id"),
)
"""The entry of a paid one has the request id ``PROVIDER:`` and its session."""

payment_events = Table(
    "payment_events",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("payment_id", BIG, ForeignKey("payments.id"), nullable=False, index=True),
    Column("created_at", BIG, nullable=False),
)
"""Events that were heard: none is heard twice."""
