"""Channels, models, price groups and routing rules that are changed while the gateway runs."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, LargeBinary, Text

from trivium.storage.schema.core import BIG, table

catalogue_revision = table(
    "catalogue_revision",
    Column("id", BIG, primary_key=True),
    Column("value", BIG, nullable=False),
    # of the last change: tells a restored backup, whose numbers come again, from what was known
    Column("mark", Text, nullable=False),
    CheckConstraint("id = 1", name="single"),
)
"""One row, once something was changed. What is written is written at the revision that was read."""

catalogue_entries = table(
    "catalogue_entries",
    Column("kind", Text, primary_key=True),  # channel, model, group, routing
    Column("name", Text, primary_key=True),
    Column("version", BIG, nullable=False),  # the revision that it was last changed at
    Column("document", Text, nullable=False),  # JSON as the file's table has it, no credentials
    Column("sealed", LargeBinary),  # its credentials by their place; null: it has none of its own
    Column("marks", Text, nullable=False),  # JSON list: what is shown of them
    Column("updated_ms", BIG, nullable=False),
    Column("updated_by", BIG),  # a user; null: somebody at a shell, or a machine
)

catalogue_changes = table(
    "catalogue_changes",
    Column("id", BIG, primary_key=True),
    Column("revision", BIG, nullable=False, unique=True),
    Column("mark", Text, nullable=False),
    Column("at_ms", BIG, nullable=False, index=True),
    Column("actor_id", BIG, index=True),  # a user; null: somebody at a shell, or a machine
    Column("actor", Text, nullable=False),  # the name of a machine; empty for a user
    Column("address", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("undoes", BIG),  # the id of the change that it takes back
    Column("undone_by", BIG),
)

catalogue_change_entries = table(
    "catalogue_change_entries",
    Column("change_id", BIG, ForeignKey("catalogue_changes.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    # as columns of the entry; null: there was, or is, none
    Column("before", Text),
    Column("before_sealed", LargeBinary),
    Column("before_marks", Text),
    Column("after", Text),
    Column("after_sealed", LargeBinary),
    Column("after_marks", Text),
    Index("ix_catalogue_change_entries_kind_name", "kind", "name"),
)
