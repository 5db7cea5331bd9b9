"""Every table of the gateway, as SQLAlchemy metadata; ``migrations/`` builds the same in steps.

Conventions: times are integers since the epoch, seconds in ``…_at`` and milliseconds in ``…_ms``;
money is integer nano-dollars in ``…_nanos``; lists are JSON text. 64 bits everywhere.

``records`` is a plain table with a retention sweep (``observe/sweep.py``) on both engines, not
partitioned by month on PostgreSQL: a partitioned table's primary key must contain the partition
column, and then ``request_id`` alone no longer makes a repeated flush harmless. Deletes in small
batches off an index cost some I/O; they need no partition to exist in time for a write to succeed.
"""

from trivium.storage.schema.accounts import (
    outside_logins,
    passkeys,
    recovery_codes,
    sessions,
    tickets,
    totp_secrets,
    tries,
)
from trivium.storage.schema.acts import acts
from trivium.storage.schema.assets import assets
from trivium.storage.schema.core import (
    BIG,
    accounts,
    code_batches,
    codes,
    entries,
    keys,
    leases,
    metadata,
    records,
    revision,
    stored_items,
    stored_responses,
    traces,
    usage_days,
    users,
)
from trivium.storage.schema.jobs import holds, jobs
from trivium.storage.schema.oauth import (
    developer_tokens,
    oauth_access_tokens,
    oauth_apps,
    oauth_codes,
    oauth_families,
    oauth_grants,
    oauth_refresh_tokens,
    oauth_requests,
    oauth_secrets,
)
from trivium.storage.schema.payments import payment_events, payments
from trivium.storage.schema.routing import breakers
from trivium.storage.schema.spending import oauth_cap_holds, oauth_caps

__all__ = [
    "BIG",
    "accounts",
    "acts",
    "assets",
    "breakers",
    "code_batches",
    "codes",
    "developer_tokens",
    "entries",
    "holds",
    "jobs",
    "keys",
    "leases",
    "metadata",
    "oauth_access_tokens",
    "oauth_apps",
    "oauth_cap_holds",
    "oauth_caps",
    "oauth_codes",
    "oauth_families",
    "oauth_grants",
    "oauth_refresh_tokens",
    "oauth_requests",
    "oauth_secrets",
    "outside_logins",
    "passkeys",
    "payment_events",
    "payments",
    "records",
    "recovery_codes",
    "revision",
    "sessions",
    "stored_items",
    "stored_responses",
    "tickets",
    "totp_secrets",
    "traces",
    "tries",
    "usage_days",
    "users",
]
