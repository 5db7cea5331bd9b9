"""What directories provision (SCIM): their tokens, and which people and teams are theirs.

The directory of an organisation is its team: everything it brings is below it.
"""

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
    true,
)

from trivium.storage.schema.core import BIG, table

_TEAM = "teams.id"

scim_tokens = table(
    "scim_tokens",
    Column("id", BIG, primary_key=True),
    Column("directory_id", BIG, ForeignKey(_TEAM), nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the token
    Column("hint", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("domains", Text, nullable=False, server_default=text("'[]'")),  # JSON list
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("last_used_at", BIG),
    Column("revoked_at", BIG),
)

scim_users = table(
    "scim_users",
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("directory_id", BIG, ForeignKey(_TEAM), nullable=False),
    Column("user_name", Text, nullable=False),  # the directory's name for them
    Column("user_name_key", Text, nullable=False),  # case-folded
    Column("external_id", Text),
    Column("display_name", Text),
    Column("formatted", Text),
    Column("given_name", Text),
    Column("family_name", Text),
    Column("active", Boolean, nullable=False, server_default=true()),  # as the directory has it
    Column("locked", Boolean, nullable=False, server_default=false()),  # disabled by it
    Column("made_here", Boolean, nullable=False, server_default=false()),  # not found, but made
    Column("gone_at", BIG),  # deleted by the directory; its account stays, locked
    Column("created_at", BIG, nullable=False),
    Column("changed_at", BIG, nullable=False),
    UniqueConstraint("directory_id", "user_name_key"),
    Index("ix_scim_users_external_id", "directory_id", "external_id"),
)

scim_groups = table(
    "scim_groups",
    Column("team_id", BIG, ForeignKey(_TEAM), primary_key=True, autoincrement=False),
    Column("directory_id", BIG, ForeignKey(_TEAM), nullable=False),
    Column("display_name", Text, nullable=False),
    Column("display_key", Text, nullable=False),  # case-folded
    Column("external_id", Text),
    Column("gone_at", BIG),  # deleted by the directory; the team stays
    Column("created_at", BIG, nullable=False),
    Column("changed_at", BIG, nullable=False),
    UniqueConstraint("directory_id", "display_key"),
    Index("ix_scim_groups_external_id", "directory_id", "external_id"),
)
