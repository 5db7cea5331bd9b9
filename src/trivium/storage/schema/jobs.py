"""Work that outlives a request, and the money that is held for it."""

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Table, Text

from trivium.storage.schema.core import BIG, metadata

holds = Table(
    "holds",
    metadata,
    Column("request_id", Text, primary_key=True),  # its entry will have the same
    Column("user_id", BIG, ForeignKey("accounts.user_id"), nullable=False),
    Column("amount_nanos", BIG, nullable=False),  # 0: of an unlimited account
    Column("bill", Text, nullable=False),  # JSON: model, prices, key at the moment of the request
    Column("created_at", BIG, nullable=False),
    Index("ix_holds_user_id", "user_id"),
)
"""Amounts held for longer than a worker lives; part of their accounts' ``leased_nanos``."""

jobs = Table(
    "jobs",
    metadata,
    Column("id", Text, primary_key=True),  # ours, and not to be guessed
    Column("user_id", BIG, nullable=False),
    Column("key_id", BIG, nullable=False),
    Column("request_id", Text, nullable=False, unique=True),  # which asked for it; its hold's
    Column("model", Text, nullable=False),  # the public name at that moment
    Column("channel", Text, nullable=False),
    Column("credential", Text, nullable=False),  # fingerprint; empty: the channel had none
    Column("operation", Text, nullable=False),  # what the upstream was asked for
    Column("upstream_model", Text, nullable=False),
    Column("upstream_id", Text),  # null: its answer has not come
    Column("file", Text),  # where the upstream has the video, if not under its id
    Column("status", Text, nullable=False),
    Column("progress", BIG, nullable=False),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("size", Text, nullable=False),
    Column("seconds", BIG, nullable=False),
    Column("prompt", LargeBinary, nullable=False),  # sealed
    Column("remixed_from", Text),
    Column("created_at", BIG, nullable=False),
    Column("completed_at", BIG),
    Column("expires_at", BIG),  # of its files; null: nobody said
    Column("kept", Text, nullable=False),  # whether our own store has the files
    Column("assets", Text, nullable=False),  # JSON: ids there by variant
    Column("looked_at", BIG, nullable=False),
    Column("look_at", BIG),  # when a worker is to look after it; null: never again
    Column("claimed_until", BIG, nullable=False),  # by whoever looks after it now
    Index("ix_jobs_user_id_created_at_id", "user_id", "created_at", "id"),
    Index("ix_jobs_look_at", "look_at"),
)
"""Videos. Times in seconds since the epoch."""
