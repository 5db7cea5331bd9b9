"""Answers that callers asked to be kept, by their ``Idempotency-Key``
(docs/decisions/0024-idempotency.md).
"""

from sqlalchemy import Column, ForeignKeyConstraint, Index, LargeBinary, Text, text

from trivium.storage.schema.core import BIG, table

kept_answers = table(
    "kept_answers",
    Column("user_id", BIG, primary_key=True, autoincrement=False),
    Column("digest", Text, primary_key=True),  # of the key and its scope, in hexadecimal
    Column("claim", BIG, nullable=False),  # how many workers have taken it on, one after another
    Column("worker", Text, nullable=False),  # who has it now
    Column("request_id", Text, nullable=False),
    Column("body_digest", Text, nullable=False),  # of method, path and body
    Column("state", Text, nullable=False),  # running, done or dropped
    Column("drops", BIG, nullable=False),  # how often an answer was let go before its end
    Column("created_at", BIG, nullable=False),  # all by the database's own clock
    Column("beat_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("size_bytes", BIG, nullable=False),  # of its pieces
    Index("ix_kept_answers_expires_at", "expires_at"),
    Index("ix_kept_answers_user_id_created_at", "user_id", "created_at"),
    Index("ix_kept_answers_created_at_user_id", "created_at", "user_id"),
    Index(
        "ix_kept_answers_sizes",
        "user_id",
        "size_bytes",
        postgresql_where=text("size_bytes > 0"),
        sqlite_where=text("size_bytes > 0"),
    ),
)

answer_pieces = table(
    "answer_pieces",
    Column("user_id", BIG, primary_key=True, autoincrement=False),
    Column("digest", Text, primary_key=True),
    Column("claim", BIG, primary_key=True, autoincrement=False),
    Column("number", BIG, primary_key=True, autoincrement=False),  # 0: the head
    Column("body", LargeBinary, nullable=False),  # sealed
    ForeignKeyConstraint(
        ["user_id", "digest"],
        ["kept_answers.user_id", "kept_answers.digest"],
        name="fk_answer_pieces_user_id",
        ondelete="CASCADE",
    ),
)
