"""How much was asked and how it went, by spans of time: sums beside the request records."""

from typing import Final

from sqlalchemy import Column, Index, Integer, Text

from trivium.storage.schema.core import BIG, table

BUCKETS: Final = 28
"""Of each histogram; see ``observe/traffic/model.py``."""

# what is counted has 32 bits: the sum of those has 64 for PostgreSQL, while a sum of 64 bits is a
# number without an end, which takes longer. 2,000,000,000 in a row are 23,000 a second for a day
traffic = table(
    "traffic",
    Column("span_s", BIG, primary_key=True, autoincrement=False),
    Column("began_at", BIG, primary_key=True, autoincrement=False),
    Column("model", Text, primary_key=True),  # empty: none that there is
    Column("channel", Text, primary_key=True),  # empty: none was asked
    Column("status", BIG, primary_key=True, autoincrement=False),  # its first digit
    Column("fault", Text, primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("first_us", BIG, nullable=False),  # sum of the times to the first byte
    Column("total_us", BIG, nullable=False),
    *(Column(f"first_{number}", Integer, nullable=False) for number in range(BUCKETS)),
    *(Column(f"total_{number}", Integer, nullable=False) for number in range(BUCKETS)),
)
"""Every record is in one row of it, and a row is of five minutes, an hour or a day (UTC)."""

traffic_keys = table(
    "traffic_keys",
    Column("span_s", BIG, primary_key=True, autoincrement=False),
    Column("began_at", BIG, primary_key=True, autoincrement=False),
    Column("key_id", BIG, primary_key=True, autoincrement=False),  # 0: of no key
    Column("user_id", BIG, primary_key=True, autoincrement=False),  # 0: of nobody
    Column("requests", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Index("ix_traffic_keys_user_id", "user_id"),
)
"""The same by who asked, without the times."""
