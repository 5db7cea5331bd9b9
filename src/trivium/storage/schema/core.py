"""Users, keys, money, request records, stored responses and traces."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
    text,
)

# SQLite numbers rows by itself only for a primary key that is declared INTEGER
BIG = BigInteger().with_variant(Integer(), "sqlite")

# the migrations name by these rules, too: a change here would need a step that renames
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

users = Table(
    "users",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("email", Text, nullable=False, unique=True),  # lower case
    Column("password_hash", Text),  # null: cannot log in
    Column("role", Text, nullable=False),
    Column("disabled", Boolean, nullable=False, server_default=false()),
    Column("unlimited", Boolean, nullable=False, server_default=false()),
    Column("created_at", BIG, nullable=False),
    Column("revision", BIG, nullable=False),
    Column("price_group", Text, nullable=False, server_default=text("''")),  # see [groups]
    Column("requests_per_minute", BIG),  # null: no limit, as the next two
    Column("tokens_per_minute", BIG),
    Column("max_concurrency", BIG),
    Column("email_verified_at", BIG),  # null: nobody has shown that letters arrive
    Column("language", Text),  # of pages; null: as the browser has it, as the next
    Column("theme", Text),
)

keys = Table(
    "keys",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the key
    Column("name", Text, nullable=False),
    Column("hint", Text, nullable=False),
    Column("models", Text, nullable=False),  # JSON list
    Column("expires_at", BIG),
    Column("disabled", Boolean, nullable=False, server_default=false()),
    Column("created_at", BIG, nullable=False),
    Column("revision", BIG, nullable=False),
    Column("strict", Boolean, nullable=False, server_default=false()),
    Column("requests_per_minute", BIG),  # null: no limit, as the next two
    Column("tokens_per_minute", BIG),
    Column("max_concurrency", BIG),
    Column("budgets", Text, nullable=False, server_default=text("'[]'")),  # JSON list
    Column("networks", Text, nullable=False, server_default=text("'[]'")),  # JSON list
    Column("paused", Boolean, nullable=False, server_default=false()),  # until it is resumed
    Column("header_only", Boolean, nullable=False, server_default=false()),  # not as ?key=
    # an application's, under this consent; no foreign key: a key outlives it
    Column("grant_id", BIG, index=True),
    # what the snapshots page through
    Index("ix_keys_revision_id", "revision", "id"),
)

revision = Table(
    "revision",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("value", BIG, nullable=False),
    CheckConstraint("id = 1", name="single"),
)
"""One row. Every identity write raises it first, which also makes such writes queue: a revision
never becomes visible before a lower one."""

secret_mark = Table(
    "secret_mark",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("mark", Text, nullable=False),  # of the key that the nodes seal with
    CheckConstraint("id = 1", name="single"),
)
"""One row, where several nodes share the database; see ``storage/fingerprint.py``."""

accounts = Table(
    "accounts",
    metadata,
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("balance_nanos", BIG, nullable=False),
    Column("used_nanos", BIG, nullable=False),  # what usage entries took, as a positive number
    Column("leased_nanos", BIG, nullable=False, server_default=text("0")),  # sum of its leases
    Column("overdraft_nanos", BIG, nullable=False, server_default=text("0")),  # allowed below zero
)

leases = Table(
    "leases",
    metadata,
    Column("worker", Text, primary_key=True),  # the name of its journal
    Column("user_id", BIG, ForeignKey("accounts.user_id"), primary_key=True, autoincrement=False),
    Column("amount_nanos", BIG, nullable=False),
    Column("renewed_at", BIG, nullable=False),  # by the database's own clock
    # the last call of other workers for what is not used, and the last that was answered
    Column("called", BIG, nullable=False, server_default=text("0")),
    Column("answered", BIG, nullable=False, server_default=text("0")),
    Index("ix_leases_renewed_at", "renewed_at"),
)
"""What a worker may spend of an account without asking again."""

entries = Table(
    "entries",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("amount_nanos", BIG, nullable=False),
    Column("note", Text, nullable=False),
    Column("request_id", Text, unique=True),
    Column("created_at", BIG, nullable=False),
    Column("detail", Text, nullable=False, server_default=text("''")),  # JSON: the bill explained
    Index("ix_entries_user_id_id", "user_id", "id"),
    # those that are no usage: few among many
    Index(
        "ix_entries_payments",
        "user_id",
        "id",
        postgresql_where=text("kind <> 'usage'"),
        sqlite_where=text("kind <> 'usage'"),
    ),
)
"""Append-only: triggers refuse updates and deletes."""

usage_days = Table(
    "usage_days",
    metadata,
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("day", BIG, primary_key=True, autoincrement=False),  # UTC, days since the epoch
    Column("nanos", BIG, nullable=False),  # what usage entries took, as a positive number
    Column("entries", BIG, nullable=False),
)
"""Sums of usage entries by day, written with them: pages need not read a month of entries."""

code_batches = Table(
    "code_batches",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("amount_nanos", BIG, nullable=False),  # of each code
    Column("note", Text, nullable=False),
    Column("expires_at", BIG),
    Column("created_at", BIG, nullable=False),
)

codes = Table(
    "codes",
    metadata,
    Column("id", BIG, primary_key=True),
    Column("batch_id", BIG, ForeignKey("code_batches.id"), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the code
    Column("hint", Text, nullable=False),
    Column("revoked_at", BIG),
    Column("redeemed_at", BIG),
    Column("user_id", BIG, ForeignKey("users.id")),  # whose balance it went to
)
"""Redemption codes. The entry of a redeemed one has the request id ``code:`` and its id."""

records = Table(
    "records",
    metadata,
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
    Index("ix_records_user_id_at_ms", "user_id", "at_ms"),
    Index("ix_records_key_id_at_ms", "key_id", "at_ms"),  # also says when a key was last used
    Index("ix_records_at_ms", "at_ms"),
)

stored_responses = Table(
    "stored_responses",
    metadata,
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
)

stored_items = Table(
    "stored_items",
    metadata,
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

traces = Table(
    "traces",
    metadata,
    Column("user_id", BIG, primary_key=True, autoincrement=False),
    Column("id", Text, primary_key=True),  # a call's id, or the digest of a vendor's signature
    Column("created_at", BIG, nullable=False, index=True),
    Column("value", LargeBinary, nullable=False),  # recall/traces/model.py
)
"""What clients do not send back with a call, and which channel made a signature."""
