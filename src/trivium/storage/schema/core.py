"""Users, keys and money."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)
from sqlalchemy.schema import SchemaItem

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


def table(name: str, *columns: SchemaItem) -> Table:
    """Return a table of the gateway's."""
    return Table(name, metadata, *columns)


users = table(
    "users",
    Column("id", BIG, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("email", Text, unique=True),  # lower case; null: of teams and service accounts
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
    Column("kind", Text, nullable=False, server_default=text("'person'")),  # or team, service
    Column("budget_letters", Boolean, nullable=False, server_default=true()),
    Column("team_id", BIG),  # of a service account: whose it is
    # by which a snapshot sees whether any team changed
    Index(
        "ix_users_team_revision",
        "revision",
        postgresql_where=text("kind = 'team'"),
        sqlite_where=text("kind = 'team'"),
    ),
)

keys = table(
    "keys",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the key
    # the secret before a rotation, which works until then
    Column("former_digest", LargeBinary),
    Column("former_until", BIG),
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
    # of each end user whom requests of the key are for
    Column("end_user_requests", BIG),  # a minute; null: no limit
    Column("end_user_budgets", Text, nullable=False, server_default=text("'[]'")),  # JSON list
    Column("paused", Boolean, nullable=False, server_default=false()),  # until it is resumed
    Column("header_only", Boolean, nullable=False, server_default=false()),  # not as ?key=
    Column("team_id", BIG, index=True),  # whose budgets it spends; null: the user's alone
    # an application's, under this consent; no foreign key: a key outlives it
    Column("grant_id", BIG, index=True),
    # what the snapshots page through
    Index("ix_keys_revision_id", "revision", "id"),
    # of rotated keys alone: most have none, and SQLite takes an index for useless in which one
    # value, null as well, is in most rows
    Index(
        "ix_keys_former_digest",
        "former_digest",
        unique=True,
        postgresql_where=text("former_digest IS NOT NULL"),
        sqlite_where=text("former_digest IS NOT NULL"),
    ),
)

revision = table(
    "revision",
    Column("id", BIG, primary_key=True),
    Column("value", BIG, nullable=False),
    # its value when a budget was last set or ended, of whatever is no key
    Column("budgets", BIG, nullable=False, server_default=text("0")),
    CheckConstraint("id = 1", name="single"),
)
"""One row. Every identity write raises it first, which also makes such writes queue: a revision
never becomes visible before a lower one."""

secret_mark = table(
    "secret_mark",
    Column("id", BIG, primary_key=True),
    Column("mark", Text, nullable=False),  # of the key that the nodes seal with
    CheckConstraint("id = 1", name="single"),
)
"""One row, where several nodes share the database; see ``storage/fingerprint.py``."""

accounts = table(
    "accounts",
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("balance_nanos", BIG, nullable=False),
    Column("used_nanos", BIG, nullable=False),  # what usage entries took, as a positive number
    Column("leased_nanos", BIG, nullable=False, server_default=text("0")),  # sum of its leases
    Column("overdraft_nanos", BIG, nullable=False, server_default=text("0")),  # allowed below zero
    # below it a letter goes out, once until it is above again; null: none does
    Column("low_nanos", BIG, server_default=text("1000000000")),
    Column("low_armed", Boolean, nullable=False, server_default=false()),  # was above since
)

leases = table(
    "leases",
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

holds = table(
    "holds",
    Column("request_id", Text, primary_key=True),  # its entry will have the same
    Column("user_id", BIG, ForeignKey("accounts.user_id"), nullable=False),
    Column("amount_nanos", BIG, nullable=False),  # 0: of an unlimited account
    Column("bill", Text, nullable=False),  # JSON: model, prices, key at the moment of the request
    Column("created_at", BIG, nullable=False),
    Column("counters", Text, nullable=False, server_default=text("'[]'")),  # JSON: of budgets
    Column("counted_nanos", BIG, nullable=False, server_default=text("0")),  # of each of them
    Column("who", Text, nullable=False, server_default=text("''")),  # JSON: for whom it is
    Index("ix_holds_user_id", "user_id"),
)
"""Amounts held for longer than a worker lives; part of their accounts' ``leased_nanos``."""

entries = table(
    "entries",
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

usage_days = table(
    "usage_days",
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("day", BIG, primary_key=True, autoincrement=False),  # UTC, days since the epoch
    Column("nanos", BIG, nullable=False),  # what usage entries took, as a positive number
    Column("entries", BIG, nullable=False),
)
"""Sums of usage entries by day, written with them: pages need not read a month of entries."""

code_batches = table(
    "code_batches",
    Column("id", BIG, primary_key=True),
    Column("amount_nanos", BIG, nullable=False),  # of each code
    Column("note", Text, nullable=False),
    Column("expires_at", BIG),
    Column("created_at", BIG, nullable=False),
)

codes = table(
    "codes",
    Column("id", BIG, primary_key=True),
    Column("batch_id", BIG, ForeignKey("code_batches.id"), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the code
    Column("hint", Text, nullable=False),
    Column("revoked_at", BIG),
    Column("redeemed_at", BIG),
    Column("user_id", BIG, ForeignKey("users.id")),  # whose balance it went to
)
"""Redemption codes. The entry of a redeemed one has the request id ``code:`` and its id."""

payments = table(
    "payments",
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

payment_events = table(
    "payment_events",
    Column("provider", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("payment_id", BIG, ForeignKey("payments.id"), nullable=False, index=True),
    Column("created_at", BIG, nullable=False),
)
"""Events that were heard: none is heard twice."""
