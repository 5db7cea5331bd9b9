"""What was spent, by any two things, for everybody: on the page and as a file."""

import csv
import io

import pytest
import pytest_asyncio

from console.visiting import console_over, user_of, visiting
from trivium.console.admin import statement
from trivium.identity.model import UserRole
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import DAY_S, Dimension

AT = "/admin/statement"


@pytest_asyncio.fixture
async def boss(database, clock):
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        visitor.ada = await user_of(console, "ada")
        visitor.acme = await console.teams.create("acme")
        today = int(clock.now()) // DAY_S
        async with database.write() as conn:
            for team, model, channel, nanos in (
                (0, "small", "left", 2_000_000_000),
                (visitor.acme.id, "large", "right", 5_000_000_000),
            ):
                await conn.exec_driver_sql(
                    "INSERT INTO spend_days (day, payer_id, team_id, user_id, key_id, model, channel,"
                    " nanos, requests, input_tokens, output_tokens)"
                    f" VALUES ({today}, {team or visitor.ada.id}, {team}, {visitor.ada.id}, 1,"
                    f" '{model}', '{channel}', {nanos}, 3, 10, 20)"
                )
        yield visitor


@pytest.mark.asyncio
async def test_sums_by_two_things(boss):
    """By team and model at first; by whatever is asked for; the total is of all."""
    page = (await boss.get(AT)).text
    assert "$7.00" in page
    assert page.index("acme") < page.index("small")
    page = (await boss.get(f"{AT}?by=channel&and=")).text
    assert ("right" in page, "small" in page) == (True, False)
    page = (await boss.get(f"{AT}?by=user&and=model&team=acme")).text
    assert ("large" in page, "small" in page, "$7.00" in page) == (True, False, False)
    page = (await boss.get(f"{AT}?by=model&and=model&user=ada@example.com")).text
    assert 1 == page.count('scope="col">Model')


@pytest.mark.asyncio
async def test_every_dimension_can_be_asked_for(boss):
    """With every other."""
    assert set(Dimension) == set(statement.DIMENSIONS)
    for each in Dimension:
        answer = await boss.get(f"{AT}?by={each.value}&and=day")
        assert 200 == answer.status_code, each


@pytest.mark.asyncio
async def test_files_have_the_same(boss):
    """CSV with ids, FOCUS with the account that is billed."""
    answer = await boss.get(f"{AT}.csv?by=team&and=model")
    assert "statement-by-team-model" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [("acme", "large", "5.00"), ("", "small", "2.00")] == [
        (row["team"], row["model"], row["amount_usd"]) for row in rows
    ]
    rows = list(csv.reader(io.StringIO((await boss.get(f"{AT}.focus.csv?by=tag&and=")).text)))
    assert list(rendering.FOCUS_COLUMNS) == rows[0]
    assert {"acme", "ada"} == {row[rows[0].index("BillingAccountName")] for row in rows[1:]}


@pytest.mark.asyncio
async def test_what_there_is_not_is_said(boss):
    """A team, a user, days that are none; a file is not made of a mistake."""
    assert "There is no team of this name." in (await boss.get(f"{AT}?team=none")).text
    assert "Nobody has this name" in (await boss.get(f"{AT}?user=none")).text
    assert 200 == (await boss.get(f"{AT}?by=x&and=y&from=never&to=9999999")).status_code
    answer = await boss.get(f"{AT}.csv?team=none")
    assert (303, f"{AT}?by=team") == (answer.status_code, answer.headers["location"][: len(AT) + 8])
