"""What applications may spend of their users' balances."""

from sqlalchemy import Column, ForeignKey, Table, Text

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

oauth_cap_holds = Table(
    "oauth_cap_holds",
    metadata,
    Column("request_id", Text, primary_key=True),
    Column(
        "grant_id",
        BIG,
        ForeignKey("oauth_grants.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("nanos", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False, index=True),
)
"""What requests of applications may cost, or did, from before they run until every worker has seen
their entries: so all workers together keep to a cap."""
