"""What a user spent, by what they want to know."""

import csv
import io
import itertools

import pytest

from console.visiting import Seen, user_of, visiting
from ledger.spending.test_store import DAY_S, book, detail, settled
from trivium.console.account.spending import BARS_MAX, DAYS_MAX, asked, chart
from trivium.ledger.spending.model import Dimension, SpendRow, SpendScope, SpendSums
from trivium.wire.attribution import Attributed

TODAY = 20_785
NOW = TODAY * DAY_S + 5.0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, (Dimension.MODEL, TODAY - 29, TODAY)),
        ({"by": "tag", "from": "2026-11-01", "to": "2026-11-02"}, (Dimension.TAG, 20_758, 20_759)),
        ({"by": "channel"}, (Dimension.MODEL, TODAY - 29, TODAY)),
        ({"by": "payer"}, (Dimension.MODEL, TODAY - 29, TODAY)),
        ({"from": "x", "to": "2026-13-01"}, (Dimension.MODEL, TODAY - 29, TODAY)),
        ({"from": "2026-11-05", "to": "2026-11-01"}, (Dimension.MODEL, 20_758, 20_758)),
        ({"to": "9999-01-01"}, (Dimension.MODEL, TODAY - 29, TODAY)),
        ({"from": "1970-01-01"}, (Dimension.MODEL, TODAY - DAYS_MAX + 1, TODAY)),
        ({"from": "9" * 5000}, (Dimension.MODEL, TODAY - 29, TODAY)),
    ],
)
def test_what_a_query_does_not_say_is_as_usual(query, expected):
    """Nothing that somebody types into the address is an error, and nobody sees channels."""
    found = asked(query, NOW)
    assert expected == (found.by, found.since, found.until)
    again = dict(each.split("=") for each in found.query().split("&"))
    assert found == asked(again, NOW)


def by_day(since, until, *days):
    scope = SpendScope(since=since, until=until)
    return scope, [SpendRow((day,), SpendSums(nanos, 1)) for day, nanos in days]


def test_every_day_of_a_period_has_its_bar():
    """Days without a cost as well; none overlaps the next, however many there are."""
    found = chart(*by_day(TODAY - 89, TODAY, (TODAY, 5), (TODAY - 89, 10)))
    assert (90, 10, 5) == (len(found), found[0].day.nanos, found[-1].day.nanos)
    assert all(a.x + a.width <= b.x for a, b in itertools.pairwise(found))
    assert all(bar.width > 0 for bar in found)
    assert [] == chart(*by_day(TODAY - BARS_MAX, TODAY))
    assert [] == chart(*by_day(TODAY, TODAY))


async def spent(visitor):
    """A user who spent something, and another who did, too."""
    console = visitor.console
    ada = await user_of(console, "ada")
    eve = await user_of(console, "eve")
    key, _ = await console.identity.create_key("ada", "laptop")
    now = int(console.clock.now())
    tagged = Attributed(session="=run-1", tags=("team:x", "nightly"))
    await book(
        console.database,
        [
            settled(ada.id, 1, now, detail("gpt-5", key.id), tagged),
            settled(ada.id, 2, now - DAY_S, detail("gpt-5", key.id)),
            settled(ada.id, 3, now, detail("<b>claude", key.id)),
            settled(eve.id, 4, now, detail("hers", 9)),
        ],
    )
    await visitor.log_in(ada)
    return now


@pytest.mark.asyncio
async def test_usage_is_shown_by_what_was_asked_for(database):
    """One's own, with shares of the whole; by day with a chart."""
    async with visiting(database) as visitor:
        await spent(visitor)
        page = (await visitor.get("/account/spending")).text
        words = set(Seen(page).words)
        assert {"gpt-5", "<b>claude", "50%"} <= words
        assert "hers" not in words
        assert "<svg" in page
        words = set(Seen((await visitor.get("/account/spending?by=tag")).text).words)
        assert {"team:x", "nightly", "(none)"} <= words
        words = set(Seen((await visitor.get("/account/spending?by=key")).text).words)
        assert "laptop" in words
        page = (await visitor.get("/account/spending?from=2001-01-01&to=2001-02-01")).text
        assert "Nothing was spent" in page


@pytest.mark.asyncio
async def test_an_export_has_the_same_in_plain_numbers(database):
    """No cell is a formula; only its owner gets it."""
    async with visiting(database) as visitor:
        await spent(visitor)
        answer = await visitor.get("/account/spending.csv?by=session")
        assert ("text/csv; charset=utf-8", True) == (
            answer.headers["content-type"],
            answer.headers["content-disposition"].startswith('attachment; filename="usage-by-'),
        )
        heads, *rows = csv.reader(io.StringIO(answer.text, newline=""))
        assert ["session", "amount_usd", "requests", "input_tokens", "output_tokens"] == heads
        assert {"'=run-1", ""} == {row[0] for row in rows}
        assert 3 == sum(int(row[2]) for row in rows)
        visitor.client.cookies.clear()
        assert 303 == (await visitor.get("/account/spending.csv")).status_code
