"""A database in which every table that can name somebody names two people, each with marks."""

from sqlalchemy.types import Boolean, Integer, LargeBinary

from releases.filled import ENTRIES, OF_THE_GATEWAY, WORDS, is_numbered, value
from trivium.storage.schema import metadata

ANA, BEN = 1, 2
"""The people. Their teams are 21 and 22, their rows are those with their number."""
TEAM = 20
SAID = {
    **WORDS,
    "users.kind": "person", "users.email": ("ana@example.org", "ben@example.org"), "users.role": "user",
    "jobs.status": "completed", "kept_answers.state": "done", "leases.amount_nanos": 0,
    "team_members.role": "member", "tickets.email": ("ana@example.org", "ben@example.org"),
    "team_invitations.email": ("ana@example.org", "ben@example.org"),
    "keys.networks": ('["192.0.2.1/32"]', '["192.0.2.2/32"]'), "users.price_group": ("vip-ana", "vip-ben"),
    "acts.detail": ('{"name":"ana"}', '{"name":"ben"}'), "acts.what": "key:1",
    "teams.parent_id": None,
}  # fmt: skip


def cell(table, column, number):
    """What the row of a person has there. Texts and bytes name table, column and person."""
    name = f"{table.name}.{column.name}"
    keys = {key.column.table.name for key in column.foreign_keys}
    if "teams" in keys or name == "teams.id":
        return TEAM + number
    if name in SAID:
        found = SAID[name]
        return found[number - 1] if isinstance(found, tuple) else found
    if isinstance(column.type, LargeBinary):
        return f"{name} {number}".encode()
    if not isinstance(column.type, Integer | Boolean) and not keys:
        return f"{name} {number}"
    return value(table, column, 1 if isinstance(column.type, Boolean) else number)


def fill(connection, holds=False):
    """Two rows of every table, one of each person; holds only when asked for."""
    users = metadata.tables["users"]
    for number in (ANA, BEN):
        connection.execute(users.insert().values(_row(users, number, id=number)))
    for number in (ANA, BEN):
        team = {"name": f"team-{number}", "email": None, "kind": "team", "id": TEAM + number}
        team |= {"price_group": "", **dict.fromkeys(("password_hash", "language", "theme"))}
        connection.execute(users.insert().values(_row(users, number, **team)))
    for table in metadata.sorted_tables:
        if table.name in OF_THE_GATEWAY | {"users"} or (table.name == "holds" and not holds):
            continue
        special = ENTRIES if table.name == "entries" else None
        for number in (ANA, BEN):
            more = dict(special[0], request_id=f"code:{number}") if special else {}
            connection.execute(table.insert().values(_row(table, number, **more)))


def _row(table, number, **more):
    row = {
        column.name: cell(table, column, number)
        for column in table.columns
        if not is_numbered(table, column)
    }
    return row | more
