"""The models that a user may ask for."""

import ast
import re
import shlex
import tomllib
from fractions import Fraction
from html import unescape

import msgspec
import pytest

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.account.models import PAGE, offered, price_lists, usable
from trivium.identity.model import Key
from trivium.routing.catalogue import build
from trivium.settings.model import Settings

HOSTILE = 'org/it\'s "a" <b>$(model)&:8b'
NOW = 1_000.0
ONE = Fraction(1)


def catalogue(*models):
    """A catalogue of these tables of models, on one channel."""
    tables = [
        {"bindings": [{"channel": "a"}], **({} if "price" in each else {"free": True}), **each}
        for each in models
    ]
    channels = [
        {"name": "a", "provider": "openai", "api_key": "k"},
        {"name": "off", "provider": "openai", "api_key": "k", "disabled": True},
    ]
    return build(msgspec.convert({"channels": channels, "models": tables}, Settings)).models


PRICED = {
    "name": "gpt-x",
    "title": "GPT X",
    "context_max": 400_000,
    "price": {"input": "1.25", "output": "10", "cache_read": "0.125"},
    "tiers": [{"above": 200_000, "price": {"input": "2.50"}}],
    "price_changes": [{"since": "2100-01-01", "price": {"input": "1", "output": "8"}}],
}
DRAWING = {
    "name": "dall-e-3",
    "price": {"per_image": "0.04"},
    "images": [{"size": "1024x1024", "quality": "hd", "price": "0.08"}],
}


def lines(found):
    return [(each.label, each.note, each.usd) for each in found.lines]


def test_prices_are_those_of_the_reader():
    """In force now, for long inputs, and from later days on; a group pays its share exactly."""
    found = price_lists(catalogue(PRICED)["gpt-x"], Fraction(4, 5), NOW)
    assert [(0, 0), (0, 200_000), (4_102_444_800, 0)] == [(f.since, f.above) for f in found]
    assert lines(found[0]) == [
        ("Input", "", Fraction(1)),
        ("Input read from a cache", "", Fraction(1, 10)),
        ("Output", "", Fraction(8)),
    ]
    assert [("Input", "", Fraction(2))] == lines(found[1])
    assert [] == price_lists(catalogue({"name": "free"})["free"], ONE, NOW)


def test_what_is_not_paid_by_tokens_says_by_what():
    """A picture by its size and quality."""
    model = catalogue(DRAWING)["dall-e-3"]
    row = offered(model, ONE, NOW)
    assert (None, None, "An image") == (row.input, row.output, row.other.label)
    (only,) = price_lists(model, ONE, NOW)
    assert [("An image", "", Fraction(1, 25)), ("An image", "1024x1024 hd", Fraction(2, 25))] == (
        lines(only)
    )


def test_only_what_a_key_may_use_is_offered():
    """Everything before the first key; never what no channel serves."""
    models = catalogue(
        {"name": "a"}, {"name": "b"}, {"name": "off", "bindings": [{"channel": "off"}]}
    ).values()
    key = Key(id=1, user_id=1, name="laptop", hint="abcd", models=("b",))
    assert ["a", "b"] == [each.name for each in usable([], models)]
    assert ["b"] == [each.name for each in usable([key], models)]


def over(database, *models, **more):
    return console_over(database, models=tuple(catalogue(*models).values()), **more)


@pytest.mark.asyncio
async def test_models_are_found_by_name_and_by_what_they_make(database):
    """With the price of whoever looks."""
    async with visiting(database, over(database, PRICED, DRAWING, {"name": "open"})) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        words = Seen((await visitor.get("/account/models")).text).words
        assert {"GPT X", "gpt-x", "$1.25", "$10.00", "$0.04", "free", "400K"} <= set(words)
        words = Seen((await visitor.get("/account/models?q=PEN+o")).text).words
        assert "open" in words
        assert "GPT X" not in words
        words = Seen((await visitor.get("/account/models?makes=images")).text).words
        assert "dall-e-3" in words
        assert "GPT X" not in words
        assert "No model fits" in (await visitor.get("/account/models?q=nothing")).text


@pytest.mark.asyncio
async def test_a_group_sees_its_own_prices(database):
    """And is told so."""
    console = over(database, PRICED, multiplier=lambda group: Fraction(1 if group else 2))
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        page = (await visitor.get("/account/models/gpt-x")).text
        assert {
            "$2.50",
            "$20.00",
            "In US dollars, tokens by the million; the prices of your group.",
        } <= set(Seen(page).words)


@pytest.mark.asyncio
async def test_many_models_come_page_by_page(database):
    """What was searched for stays; a page that is none is the first."""
    tables = [{"name": f"m-{n:04}"} for n in range(2 * PAGE + 1)]
    async with visiting(database, over(database, *tables)) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        page = await visitor.get("/account/models?q=m&makes=text&from=x")
        words = Seen(page.text).words
        assert f"m-{PAGE - 1:04}" in words
        assert f"m-{PAGE:04}" not in words
        (more,) = [a["href"] for tag, a in Seen(page.text).elements if "from=" in a.get("href", "")]
        page = await visitor.get(more)
        assert f"m-{PAGE:04}" in Seen(page.text).words
        assert "q=m&amp;makes=text" in page.text


@pytest.mark.asyncio
async def test_one_model_tells_how_every_client_asks_for_it(database):
    """Programs and settings with its name in them, quoted for each language."""
    async with visiting(database, over(database, {"name": HOSTILE})) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        listed = (await visitor.get("/account/models")).text
        (path,) = re.findall(r'href="(/account/models/[^"]+)"', listed)
        page = (await visitor.get(unescape(path))).text
    told = {
        unescape(title): unescape(code)
        for title, code in re.findall(
            r"<summary>([^<]+)</summary>\s*<pre tabindex=\"0\">(.*?)</pre>", page, re.DOTALL
        )
    }
    assert {"Claude Code", "Codex CLI", "Gemini CLI", "OpenAI, Node"} < told.keys()
    for title, code in told.items():
        if title.endswith("Python"):
            compile(code, title, "exec")
            assert HOSTILE in _strings(code)
    assert HOSTILE == tomllib.loads(told["Codex CLI"])["model"]
    assert f"ANTHROPIC_MODEL={HOSTILE}" in shlex.split(told["Claude Code"])
    assert HOSTILE in shlex.split(told["Gemini CLI"])
    assert "<b>" not in page


def _strings(code):
    return [
        node.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.asyncio
async def test_a_model_that_no_key_may_use_is_not_there(database):
    """As for callers."""
    async with visiting(database, over(database, PRICED, {"name": "open"})) as visitor:
        user = await user_of(visitor.console)
        await visitor.log_in(user)
        await visitor.console.identity.create_key("ada", "laptop", models=("open",))
        assert 404 == (await visitor.get("/account/models/gpt-x")).status_code
        assert "laptop" in (await visitor.get("/account/models/open")).text


@pytest.mark.asyncio
async def test_pictures_and_vectors_have_programs_of_their_own(database):
    """And no agents."""
    embedding = {"name": "embed", "price": {"input": "0.02"}}
    async with visiting(database, over(database, DRAWING, embedding)) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        drawing = (await visitor.get("/account/models/dall-e-3")).text
        vectors = (await visitor.get("/account/models/embed")).text
        assert ("images.generate" in drawing, "embeddings.create" in vectors) == (True, True)
        assert "Claude Code" not in drawing + vectors
