"""The first page."""

import msgspec
import pytest

from console.consent.asking import Asking, let_in
from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.account.overview import HEIGHT, WIDTH, bars, first_call, may_use
from trivium.identity.model import Key, User
from trivium.ledger.model import NANOS, EntryKind
from trivium.ledger.statement.service import Day
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens.model import RefreshGrant
from trivium.routing.catalogue import build
from trivium.settings.model import Settings

CATALOGUE = build(
    msgspec.convert(
        {
            "channels": [
                {"name": "a", "provider": "openai", "api_key": "k"},
                {"name": "off", "provider": "openai", "api_key": "k", "disabled": True},
            ],
            "models": [
                {"name": name, "bindings": [{"channel": channel}], **price}
                for name, channel, price in (
                    ("gpt-off", "off", {"free": True}),
                    ("gpt-x", "a", {"price": {"input": "1", "output": "1"}}),
                    ("open-x", "a", {"free": True}),
                )
            ],
        },
        Settings,
    )
)
EMPTY, CHAT, FREE = CATALOGUE.models.values()


def key(*models):
    return Key(id=1, user_id=1, name="laptop", hint="abcd", models=models)


def user(*, unlimited=False):
    return User(id=1, name="ada", email="ada@example.com", unlimited=unlimited)


@pytest.mark.parametrize(
    ("models", "allowed", "balance", "unlimited", "expected"),
    [
        ((EMPTY, CHAT, FREE), (), 1, False, ("gpt-x", False)),
        ((EMPTY, CHAT, FREE), (), 0, True, ("gpt-x", False)),
        ((EMPTY, CHAT, FREE), (), 0, False, ("open-x", False)),
        ((EMPTY, CHAT), (), 0, False, ("gpt-x", True)),
        ((CHAT, FREE), ("open-*",), 1, False, ("open-x", False)),
        ((CHAT, FREE), ("gpt-x",), -5, False, ("gpt-x", True)),
        ((CHAT, FREE), ("other",), 1, False, ("", False)),
        ((EMPTY,), (), 1, False, ("", False)),
        ((), (), 0, False, ("", False)),
    ],
)
def test_the_call_names_a_model_that_would_answer(models, allowed, balance, unlimited, expected):
    """The first that the key may use and the account can pay; else the first, and what it takes."""
    call = first_call((key(*allowed),), user(unlimited=unlimited), balance, models)
    assert expected == (call.model, call.needs_credit)


@pytest.mark.parametrize(
    ("allowed", "name", "expected"),
    [((), "a", True), (("a",), "a", True), (("a",), "ab", False), (("a*",), "ab", True)],
)
def test_a_key_names_its_models_whole_or_by_their_beginning(allowed, name, expected):
    """As the gateway takes them."""
    assert expected is may_use(key(*allowed), name)


def test_the_dearest_day_is_as_high_as_the_picture():
    """Others in proportion; one that cost anything is seen, one that cost nothing is not."""
    found = bars([Day(at=0, nanos=n) for n in (0, 1, 500, 1000)])
    assert [0.0, 2, HEIGHT / 2, HEIGHT] == [bar.height for bar in found]
    assert all(0 <= bar.x and bar.x + bar.width <= WIDTH for bar in found)
    assert all(HEIGHT == bar.y + bar.height for bar in found)


@pytest.mark.parametrize("days", [[], [Day(at=0)], [Day(at=0, nanos=-5), Day(at=1, nanos=5)]])
def test_nothing_breaks_the_picture(days):
    """No days, no spending, a day that was refunded."""
    assert [0 <= bar.height <= HEIGHT for bar in bars(days) if bar.day.nanos >= 0] == [
        True for day in days if day.nanos >= 0
    ]


@pytest.mark.asyncio
async def test_a_newcomer_is_told_how_to_begin(database):
    """With the gateway's own address."""
    async with visiting(database, console_over(database, models=[CHAT])) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        page = await visitor.get("/account")
        text = Seen(page.text).text
        assert "Create a key, then ask a model." in text
        assert "curl https://gateway.example/v1/chat/completions" in text
        assert "<rect class" not in page.text.partition("Spend by day")[2]


@pytest.mark.asyncio
@pytest.mark.parametrize(("dollars", "first"), [(1, False), (0, True)])
async def test_the_first_request_can_be_pasted(database, dollars, first):
    """It names a model, and who cannot pay for it is told so."""
    console = console_over(database, models=[CHAT])
    async with visiting(database, console) as visitor:
        user = await user_of(console)
        if dollars:
            await console.entries.book(user.id, EntryKind.TOP_UP, NANOS)
        await visitor.log_in(user)
        await visitor.get("/account/keys/new")
        for page in (
            await visitor.get("/account"),
            await visitor.post("/account/keys/new", name="laptop"),
        ):
            text = Seen(page.text).text
            assert '{"model": "gpt-x", "messages": [{"role": "user"' in text
            assert first is ("Top up first" in text)


@pytest.mark.asyncio
async def test_what_was_spent_is_drawn_and_told(database):
    """As bars, and as a table for whoever does not see them."""
    async with visiting(database) as visitor:
        user = await user_of(visitor.console)
        await visitor.log_in(user)
        await visitor.console.entries.book(user.id, EntryKind.TOP_UP, 10 * NANOS)
        await visitor.console.entries.book(user.id, EntryKind.USAGE, -3 * NANOS)
        page = await visitor.get("/account")
        words = Seen(page.text).words
        assert (1, 2) == (page.text.count('<rect class="bar"'), words.count("$3.00"))
        assert {"$7.00", "for 1 billed request"} <= set(words)


@pytest.mark.asyncio
async def test_a_token_that_seems_stolen_is_told_for_two_weeks(database):
    """On the first page, by the application's name."""
    async with Asking.over(database) as asking:
        clock, tokens = asking.console.clock, asking.oauth.tokens
        issued = await let_in(asking)
        await asking.visitor.log_in(asking.ada)
        assert "second time" not in (await asking.visitor.get("/account")).text
        given = RefreshGrant(refresh_token=issued.refresh_token, scopes=None)
        await tokens.refresh(asking.app, given)
        clock.advance(61)
        with pytest.raises(OAuthError):
            await tokens.refresh(asking.app, given)
        text = Seen((await asking.visitor.get("/account")).text).text
        assert "Shop & Co On " in text
        assert "which is how stolen tokens show" in text
        clock.advance(14 * 86_400)
        await asking.visitor.log_in(asking.ada)
        assert "second time" not in (await asking.visitor.get("/account")).text
