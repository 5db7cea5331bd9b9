"""The health of upstreams as operators are shown it; no worker decides by it."""

from sqlalchemy import Boolean, Column, Index, Table, Text

from trivium.storage.schema.core import BIG, metadata

breakers = Table(
    "breakers",
    metadata,
    Column("channel", Text, primary_key=True),
    Column("account", Text, primary_key=True),  # a mark of address and credential, no secret
    Column("model", Text, primary_key=True),  # the channel's own name; empty: all, the credential
    Column("fault", Text, nullable=False),
    Column("told", Boolean, nullable=False),  # whether the vendor named the end
    Column("openings", BIG, nullable=False),  # since it was last well
    Column("until_at", BIG, nullable=False),
    Column("written_at", BIG, nullable=False),
    Index("ix_breakers_until_at", "until_at"),
)
