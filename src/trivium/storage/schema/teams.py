"""Teams, who is in them, and what may be spent."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    text,
)

from trivium.storage.schema.core import BIG, table

_USER = "users.id"
_TEAM = "teams.id"

teams = table(
    "teams",
    # of its row among the users, which has its name, its limits and its account
    Column("id", BIG, ForeignKey(_USER), primary_key=True, autoincrement=False),
    Column("parent_id", BIG, ForeignKey(_TEAM), index=True),  # null: an organisation
    Column("title", Text, nullable=False),  # the name without those of its parents
    Column("has_wallet", Boolean, nullable=False, server_default=false()),  # else its parent's
    Column("models", Text, nullable=False, server_default=text("'[]'")),  # JSON; empty: as parent
    Column("claim", Text),  # the value of an SSO claim whose people are members
    Column("created_at", BIG, nullable=False),
)

team_members = table(
    "team_members",
    Column("team_id", BIG, ForeignKey(_TEAM), primary_key=True, autoincrement=False),
    Column("user_id", BIG, ForeignKey(_USER), primary_key=True, autoincrement=False),
    # who says so: manual, sso or scim; each has a row of its own
    Column("source", Text, primary_key=True, server_default=text("'manual'")),
    Column("via", Text, primary_key=True, server_default=text("''")),  # the issuer, the directory
    Column("role", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Index("ix_team_members_user_id", "user_id"),
)

team_invitations = table(
    "team_invitations",
    Column("id", BIG, primary_key=True),
    Column("team_id", BIG, ForeignKey(_TEAM), nullable=False),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the link's token
    Column("invited_by", BIG, ForeignKey(_USER)),  # null: the operator
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("ended_at", BIG),  # accepted, withdrawn or replaced
    Index("ix_team_invitations_team_id", "team_id", "created_at"),
    Index("ix_team_invitations_expires_at", "expires_at"),
)

budgets = table(
    "budgets",
    Column("id", BIG, primary_key=True),
    Column("scope", Text, nullable=False),  # as counters name it
    Column("period", Text, nullable=False),
    Column("amount_nanos", BIG, nullable=False),
    Column("zone", Text, nullable=False, server_default=text("'UTC'")),
    Column("soft", Boolean, nullable=False, server_default=false()),
    Column("instead", Text, nullable=False, server_default=text("''")),  # a model
    Column("since", BIG, nullable=False),
    UniqueConstraint("scope", "period"),
)
"""Budgets of teams, members, tags and end users; those of keys are with the keys."""
