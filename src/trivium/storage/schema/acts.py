"""The table of the audit log."""

from sqlalchemy import Column, Index, Table, Text

from trivium.storage.schema.core import BIG, metadata

acts = Table(
    "acts",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("at_ms", BIG, nullable=False, index=True),
    Column("actor_id", BIG),  # no foreign keys: an act outlives whom it names
    Column("subject_id", BIG),
    Column("kind", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("detail", Text, nullable=False),  # JSON object; empty for none
    Index("ix_acts_actor_id_id", "actor_id", "id"),
    Index("ix_acts_subject_id_id", "subject_id", "id"),
    Index("ix_acts_kind_id", "kind", "id"),
)
"""Append-only: triggers refuse updates, and deletes of what is younger than 30 days."""
