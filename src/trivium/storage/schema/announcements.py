"""What the operator tells everybody, and who has seen it."""

from sqlalchemy import Column, ForeignKey, Index, Text

from trivium.storage.schema.core import BIG, table

announcements = table(
    "announcements",
    Column("id", BIG, primary_key=True),
    Column("text", Text, nullable=False),
    Column("level", Text, nullable=False),  # info, warn or bad
    Column("starts_at", BIG, nullable=False),
    Column("ends_at", BIG),  # null: once it is removed
    Column("created_at", BIG, nullable=False),
)

dismissals = table(
    "dismissals",
    Column(
        "announcement_id",
        BIG,
        ForeignKey("announcements.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("dismissed_at", BIG, nullable=False),
    Index("ix_dismissals_user_id", "user_id"),
)
