"""What vendors said of their prices, and what was proposed of it."""

from sqlalchemy import Boolean, Column, Index, Text

from trivium.storage.schema.core import BIG, table

price_lists = table(
    "price_lists",
    Column("channel", Text, primary_key=True),
    Column("read_at", BIG, nullable=False),
    Column("document", Text, nullable=False),  # JSON: ledger/suggestions/vendor.py
)
"""The list of each channel's vendor as it was read last, of the models that are bound to it."""

price_proposals = table(
    "price_proposals",
    Column("id", BIG, primary_key=True),
    Column("model", Text, nullable=False),
    Column("open_for", Text, unique=True),  # the model while nobody has decided; null: somebody has
    Column("state", Text, nullable=False),  # open, adopted, dismissed, replaced, settled
    Column("channel", Text, nullable=False),
    Column("source", Text, nullable=False),  # vendor, bundled
    Column("day", Text, nullable=False),  # of the list that says so
    Column("place", Text, nullable=False),
    Column("digest", Text, nullable=False),  # of what is proposed
    Column("suggestion", Text, nullable=False),  # JSON: all of it, with later days
    Column("differences", Text, nullable=False),  # JSON list: kind, above, set, proposed
    Column("by_hand", Boolean, nullable=False),  # whether what was set had been made by hand
    Column("found_at", BIG, nullable=False),
    Column("decided_at", BIG),  # null: it is open
    Column("decided_by", BIG),  # a user; null: nobody, or a machine
    Index("ix_price_proposals_model_id", "model", "id"),
    Index("ix_price_proposals_state_id", "state", "id"),
)

price_looks = table(
    "price_looks",
    Column("night", BIG, primary_key=True),  # days since the epoch
    Column("begun_at", BIG, nullable=False),
    Column("ended_at", BIG),  # null: whoever began it is at it, or gone
    Column("found", BIG),  # new proposals
)
"""Nights on which somebody looked: of all workers and nodes the one that wrote the row."""
