"""Every table of the gateway, as SQLAlchemy metadata; ``storage/create.py`` makes them.

Conventions: times are integers since the epoch, seconds in ``…_at`` and milliseconds in ``…_ms``;
money is integer nano-dollars in ``…_nanos``; lists are JSON text. 64 bits everywhere.

``records`` is a plain table with a retention sweep (``observe/sweep.py``) on both engines, not
partitioned by month on PostgreSQL: a partitioned table's primary key must contain the partition
column, and then ``request_id`` alone no longer makes a repeated flush harmless. Deletes in small
batches off an index cost some I/O; they need no partition to exist in time for a write to succeed.
"""

from trivium.storage.schema import (
    announcements,
    budgets,
    catalogue,
    idempotency,
    invoices,
    logins,
    oauth,
    prices,
    requests,
    scim,
    spending,
    teams,
    traffic,
)
from trivium.storage.schema.core import metadata

__all__ = [
    "announcements",
    "budgets",
    "catalogue",
    "idempotency",
    "invoices",
    "logins",
    "metadata",
    "oauth",
    "prices",
    "requests",
    "scim",
    "spending",
    "teams",
    "traffic",
]
