"""Generated files: what lies in the object store under each id, whose it is and until when."""

from sqlalchemy import Column, Index, Table, Text

from trivium.storage.schema.core import BIG, metadata

assets = Table(
    "assets",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", BIG, nullable=False),  # no foreign key: it goes with its time, not theirs
    Column("kind", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("size_bytes", BIG),  # null: the object is not whole yet
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Index("ix_assets_expires_at", "expires_at"),
)
