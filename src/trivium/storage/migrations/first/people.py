"""Users, their keys, and two tables of one row."""

import sqlalchemy as sa
from alembic import op

from trivium.storage.migrations.first.types import BIG


def create() -> None:
    """Create the tables of who is asking."""
    _users()
    _keys()
    _revision()
    _secret_mark()


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("email", sa.Text, nullable=False, unique=True),
        sa.Column("password_hash", sa.Text),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("unlimited", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("price_group", sa.Text, nullable=False, server_default=sa.text("''")),
        sa.Column("requests_per_minute", BIG),
        sa.Column("tokens_per_minute", BIG),
        sa.Column("max_concurrency", BIG),
        sa.Column("email_verified_at", BIG),
        sa.Column("language", sa.Text),
        sa.Column("theme", sa.Text),
    )


def _keys() -> None:
    op.create_table(
        "keys",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("models", sa.Text, nullable=False),
        sa.Column("expires_at", BIG),
        sa.Column("disabled", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("strict", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("requests_per_minute", BIG),
        sa.Column("tokens_per_minute", BIG),
        sa.Column("max_concurrency", BIG),
        sa.Column("budgets", sa.Text, nullable=False, server_default=sa.text("'[]'")),
        sa.Column("networks", sa.Text, nullable=False, server_default=sa.text("'[]'")),
        sa.Column("grant_id", BIG, index=True),
        sa.Column("paused", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("header_only", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Index("ix_keys_revision_id", "revision", "id"),
    )


def _revision() -> None:
    op.create_table(
        "revision",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("value", BIG, nullable=False),
        sa.CheckConstraint("id = 1", name="single"),
    )
    op.execute("INSERT INTO revision (id, value) VALUES (1, 0)")


def _secret_mark() -> None:
    op.create_table(
        "secret_mark",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("mark", sa.Text, nullable=False),
        sa.CheckConstraint("id = 1", name="single"),
    )
