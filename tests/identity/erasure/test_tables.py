"""Every table of the schema: whom it names, what an erasure leaves, what an export shows."""

import pytest
import pytest_asyncio
from sqlalchemy.types import LargeBinary, Text

from identity.erasure.marks import ANA, BEN, fill
from trivium.clock import FixedClock
from trivium.identity.erasure.model import Ending
from trivium.identity.erasure.service import Erasure
from trivium.identity.erasure.tables import NOBODYS, PERSONAL
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.schema import metadata


def test_every_table_has_a_row():
    """A new one is either personal or has a reason why it is not."""
    personal = [each.name for each in PERSONAL]
    assert set(metadata.tables) == {*personal, *NOBODYS}
    assert len(metadata.tables) == len(personal) + len(NOBODYS)
    assert all(NOBODYS.values())


@pytest.mark.parametrize("of", PERSONAL, ids=lambda of: of.name)
def test_every_text_ends_or_has_a_reason(of):
    """Columns that are named exist, and what stays says why."""
    columns = metadata.tables[of.name].columns
    texts = {each.name for each in columns if isinstance(each.type, Text | LargeBinary)}
    named = {*of.blank, *of.kept, *of.withheld, *of.order, *(name for name, _ in of.by)}
    assert named <= set(columns.keys())
    assert not set(of.blank) & set(of.kept)
    if of.ending is Ending.DELETED:
        assert not of.blank
        assert not of.kept
    else:
        assert texts == {*of.blank, *of.kept} & texts
    assert all(of.kept.values())


@pytest_asyncio.fixture
async def marked(empty_url):
    """The database with both people's marks."""
    db = Database(empty_url)
    await migrate.upgrade(db)
    async with db.write() as conn:
        await conn.run_sync(fill)
        apps = metadata.tables["oauth_apps"]
        await conn.execute(apps.update().values(user_id=BEN))
        shared = metadata.tables["spend_attributed"]
        (row,) = (await conn.execute(shared.select().where(shared.c.user_id == BEN))).all()
        # Ben's team pays for Ana as well: what only she said of it goes, what he said stays
        await conn.execute(shared.insert().values({**row._mapping, "user_id": ANA}))
    yield db
    await db.close()


async def rows_of(db):
    """All rows by table."""
    async with db.read() as conn:
        return {
            name: [dict(row._mapping) for row in await conn.execute(table.select())]
            for name, table in metadata.tables.items()
        }


def marks(rows, number):
    """Texts and bytes by which a person would be known, and where they are."""
    found = {}
    words = (f" {number}", "ana" if number == ANA else "ben", f"192.0.2.{number}")
    for name, listed in rows.items():
        for row in listed:
            for column, value in row.items():
                text = value.decode("latin-1") if isinstance(value, bytes) else value
                if isinstance(text, str) and (
                    text.endswith(words[0]) or any(w in text for w in words[1:])
                ):
                    found.setdefault(f"{name}.{column}", []).append(value)
    return found


@pytest.mark.asyncio
async def test_no_mark_is_left_but_those_with_a_reason(marked):
    """Of any column of any table, on both engines; the other person's stay to the last."""
    before = await rows_of(marked)
    marked_columns = set(marks(before, ANA))
    assert len(marked_columns) > 120
    await Erasure(marked, FixedClock()).erase(None, ANA)
    after = await rows_of(marked)
    allowed = {f"{of.name}.{name}" for of in PERSONAL for name in of.kept}
    left = {place for place in marks(after, ANA) if place.partition(".")[0] not in NOBODYS}
    assert left <= allowed, left - allowed
    assert "erased:1" in {row["name"] for row in after["users"]}
    # the sums of what Ana said with his team's account: see ``marked``
    hers = {f"spend_attributed.{name}": 1 for name in ("model", "channel")}
    his = {place: len(found) for place, found in marks(before, BEN).items()}
    assert {place: len(found) for place, found in marks(after, BEN).items()} == {
        place: count - hers.get(place, 0) for place, count in his.items()
    }


@pytest.mark.asyncio
async def test_amounts_stay(marked):
    """Numbers of whatever stays are what they were, but for those that the table names."""
    before = await rows_of(marked)
    await Erasure(marked, FixedClock()).erase(None, ANA)
    after = await rows_of(marked)
    for of in PERSONAL:
        if of.ending is Ending.DELETED or of.name == "acts":
            continue
        free = {*of.blank, "revision"}
        kept = [{n: v for n, v in row.items() if n not in free} for row in before[of.name]]
        found = [{n: v for n, v in row.items() if n not in free} for row in after[of.name]]
        key = [column.name for column in metadata.tables[of.name].primary_key]
        by_key = lambda row, key=key: [row[name] for name in key]  # noqa: E731
        assert sorted(kept, key=by_key) == sorted(found, key=by_key), of.name


@pytest.mark.asyncio
async def test_an_export_names_every_table(marked):
    """That is not left out by name; no hash, nothing sealed, nobody else's row."""
    erasure = Erasure(marked, FixedClock())
    rows, after = [], None
    while True:
        page = await erasure.page(ANA, after, limit=3)
        assert len(page.rows) <= 3
        rows, after = rows + page.rows, page.after
        if after is None:
            break
    whole = await erasure.page(ANA, None, limit=1000)
    assert whole.rows == rows
    # applications were given away above, and nothing is held
    absent = {"oauth_apps", "oauth_secrets", "holds"}
    assert {of.name for of in PERSONAL if not of.unlisted} - absent == {
        row["table"] for row in rows
    }
    shown = [value for row in rows for value in row.values()]
    assert not any(isinstance(value, bytes) for value in shown)
    assert "users.password_hash 1" not in shown
    assert "ana@example.org" in shown
    others = [v for v in shown if isinstance(v, str) and (v.endswith(" 2") or "ben@" in v)]
    # what Ben's team pays of hers, and what was said of it
    assert {"spend_attributed", "attributions"} >= {v.partition(".")[0] for v in others}
