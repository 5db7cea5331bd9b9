"""What applications may spend of their users' balances."""

from sqlalchemy import Column, ForeignKey, Table

from trivium.storage.schema.core import BIG, metadata

oauth_caps = Table(
    "oauth_caps",
    metadata,
    Column(
        "grant_id",
        BIG,
        ForeignKey("oauth_grants.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("cap_nanos", BIG, nullable=False),  # a month
    Column("set_at", BIG, nullable=False),
)
"""The most that consent lets an application spend a month. The keys it spends with are rows of
``keys`` that name the consent."""
