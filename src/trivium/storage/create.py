"""Makes the tables of an empty database, with the triggers that keep some of them append-only."""

from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.schema import CreateIndex, CreateTable

from trivium.storage.schema import metadata

_KEPT_S: Final = 30 * 86_400
"""An act is kept so long at least: the shortest retention that the settings allow."""

_BLANKED: Final = (
    "NEW.id = OLD.id AND NEW.at_ms = OLD.at_ms AND NEW.kind = OLD.kind AND NEW.what = OLD.what"
    " AND COALESCE(NEW.actor_id, 0) = COALESCE(OLD.actor_id, 0)"
    " AND COALESCE(NEW.subject_id, 0) = COALESCE(OLD.subject_id, 0)"
    " AND NEW.address IN ('', OLD.address) AND NEW.agent IN ('', OLD.agent)"
    " AND NEW.detail IN ('', OLD.detail) AND EXISTS (SELECT 1 FROM users"
    " WHERE kind = 'erased' AND id IN (OLD.actor_id, OLD.subject_id))"
)
"""An act by or on somebody whose data was erased may lose where it came from, with what, and its
detail; what happened, when and to which id stays."""

_VOIDED: Final = (
    " AND ".join(
        f"NEW.{name} = OLD.{name}"
        for name in (
            *("id", "seller", "number", "name", "account_id", "since", "until", "issued_at"),
            *("total_nanos", "document"),
        )
    )
    + " AND OLD.voided_at IS NULL AND NEW.voided_at IS NOT NULL"
)
"""An invoice may be voided, once; nothing else of it changes."""

_APPEND_ONLY: Final = {
    "entries": ("id = NEW.id OR request_id = NEW.request_id", "", "false", "false"),
    "acts": (
        "id = NEW.id",
        f"WHEN OLD.at_ms > (CAST(strftime('%s', 'now') AS INTEGER) - {_KEPT_S}) * 1000",
        f"OLD.at_ms <= (extract(epoch from clock_timestamp())::bigint - {_KEPT_S}) * 1000",
        _BLANKED,
    ),
    "invoices": (
        "id = NEW.id OR (seller = NEW.seller AND (number = NEW.number OR name = NEW.name))",
        "",
        "false",
        _VOIDED,
    ),
}
"""Tables whose rows never change: which row a new one would replace, and which may be deleted, as
SQLite's condition of the trigger that refuses and as PostgreSQL's of the function that permits; and
which change is permitted all the same."""


def create(connection: Connection) -> None:
    """Create everything, in the order in which tables refer to each other."""
    for table in metadata.sorted_tables:
        connection.execute(CreateTable(table))
        # partial ones behind the others, always: of two indices that serve alike SQLite takes the
        # later, and a table's own come in any order
        for index in sorted(
            table.indexes, key=lambda index: (index.dialect_kwargs != {}, str(index.name))
        ):
            connection.execute(CreateIndex(index))
    for name in _APPEND_ONLY:
        for statement in _keep(name, connection.dialect.name):
            connection.execute(text(statement))
    connection.execute(text("INSERT INTO revision (id, value) VALUES (1, 0)"))


def _keep(table: str, engine: str) -> list[str]:
    """Return what refuses changes of a table's rows, and deletes of those that must stay."""
    same, kept, free, change = _APPEND_ONLY[table]
    if engine == "sqlite":
        refusal = f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
        # INSERT OR REPLACE deletes what is in its way without asking the triggers on DELETE
        replaced = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608 - our own names
        unless = "" if change == "false" else f"WHEN NOT ({change})"
        return [
            f"CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} {unless} {refusal}",
            f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} {kept} {refusal}",
            f"CREATE TRIGGER {table}_replace BEFORE INSERT ON {table} {replaced} {refusal}",
        ]
    body = (
        f"BEGIN IF TG_OP = 'DELETE' AND {free} THEN RETURN OLD; END IF; "
        f"IF TG_OP = 'UPDATE' AND {change} THEN RETURN NEW; END IF; "
        f"RAISE EXCEPTION '{table} are append-only'; END"
    )
    function = f"refuse_{table}_change()"
    trigger = f"{table}_change BEFORE UPDATE OR DELETE ON {table}"
    return [
        f"CREATE FUNCTION {function} RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
        f"CREATE TRIGGER {trigger} FOR EACH ROW EXECUTE FUNCTION {function}",
    ]
