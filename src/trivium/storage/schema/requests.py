"""Requests: their records, what is kept of answers, the health of channels; and the audit log."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Text,
    text,
)

from trivium.storage.schema.core import BIG, table

records = table(
    "records",
    Column("request_id", Text, primary_key=True),
    Column("at_ms", BIG, nullable=False),
    Column("key_id", BIG),  # no foreign keys: a record outlives what it names
    Column("user_id", BIG),
    Column("operation", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("upstream_model", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("fault", Text, nullable=False),
    Column("stream", Boolean, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("first_byte_us", BIG),
    Column("total_us", BIG, nullable=False),
    Column("bytes_in", BIG, nullable=False),
    Column("bytes_out", BIG, nullable=False),
    Column("end_user", Text, nullable=False),
    # conversation/usage.py, field by field; all null when there was no usage
    Column("fresh", BIG),
    Column("cache_read", BIG),
    Column("cache_write_short", BIG),
    Column("cache_write_long", BIG),
    Column("output", BIG),
    Column("reasoning", BIG),
    Column("audio_input", BIG),
    Column("audio_output", BIG),
    Column("image_input", BIG),
    Column("image_output", BIG),
    Column("duration_ms", BIG),  # Usage.seconds
    Column("characters", BIG),
    Column("requests", BIG),
    Column("estimated", Boolean),
    # what a translation left out and mended; null when nothing was
    Column("dropped", Text),
    Column("repaired", Text),
    Column("asked_model", Text),  # where another answered; null: the same as `model`
    Column("session", Text),  # as the caller says; null when it says none, as the next
    Column("tags", Text),  # JSON list
    Column("failed", Text),  # JSON list of channel and reason; null: the first attempt served it
    Index("ix_records_user_id_at_ms", "user_id", "at_ms"),
    Index("ix_records_key_id_at_ms", "key_id", "at_ms"),  # also says when a key was last used
    Index("ix_records_at_ms", "at_ms"),
    # by what administrators search
    Index("ix_records_model_at_ms", "model", "at_ms"),
    Index("ix_records_channel_at_ms", "channel", "at_ms"),
    # few among many
    Index(
        "ix_records_fault_at_ms",
        "fault",
        "at_ms",
        postgresql_where=text("fault <> ''"),
        sqlite_where=text("fault <> ''"),
    ),
    Index(
        "ix_records_failed",
        "at_ms",
        postgresql_where=text("fault <> '' OR status >= 400"),
        sqlite_where=text("fault <> '' OR status >= 400"),
    ),
)

stored_responses = table(
    "stored_responses",
    # the owner is part of the key: nobody else's row can be found by its id, and two upstreams
    # may give the same id to two users
    Column("user_id", BIG, primary_key=True, autoincrement=False),
    Column("id", Text, primary_key=True),
    Column("key_id", BIG, nullable=False),
    Column("model", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("size_bytes", BIG, nullable=False),  # of the body; 0 without one
    Column("body", LargeBinary),  # sealed; null: the channel keeps it
    Index("ix_stored_responses_expires_at", "expires_at"),
    Index("ix_stored_responses_user_id_size_bytes", "user_id", "size_bytes"),
    Index("ix_stored_responses_created_at_user_id", "created_at", "user_id"),
)

stored_items = table(
    "stored_items",
    Column("user_id", BIG, primary_key=True, autoincrement=False),
    Column("id", Text, primary_key=True),
    Column("response_id", Text, nullable=False),
    ForeignKeyConstraint(
        ["user_id", "response_id"],
        ["stored_responses.user_id", "stored_responses.id"],
        name="fk_stored_items_user_id",
        ondelete="CASCADE",
    ),
    Index("ix_stored_items_user_id_response_id", "user_id", "response_id"),
)

traces = table(
    "traces",
    Column("user_id", BIG, primary_key=True, autoincrement=False),
    Column("id", Text, primary_key=True),  # a call's id, or the digest of a vendor's signature
    Column("created_at", BIG, nullable=False, index=True),
    Column("value", LargeBinary, nullable=False),  # response_store/signatures/model.py
)
"""What clients do not send back with a call, and which channel made a signature."""

jobs = table(
    "jobs",
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
    Index("ix_jobs_created_at_id", "created_at", "id"),
    Index("ix_jobs_look_at", "look_at"),
)
"""Videos. Times in seconds since the epoch."""

assets = table(
    "assets",
    Column("id", Text, primary_key=True),
    Column("user_id", BIG, nullable=False),  # no foreign key: it goes with its time, not theirs
    Column("kind", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("size_bytes", BIG),  # null: the object is not whole yet
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Index("ix_assets_expires_at", "expires_at"),
)

breakers = table(
    "breakers",
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

acts = table(
    "acts",
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
