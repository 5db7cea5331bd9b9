"""Forms: what is wrong beside each field, and nothing from elsewhere."""

import re
from typing import Annotated, Literal

import msgspec
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Match, Route

from console.visiting import ORIGIN, user_of, visiting
from trivium.console import app, forms
from trivium.console.app import PAGES
from trivium.console.forms import row
from trivium.console.language import speech


class Example(forms.Form, frozen=True, kw_only=True):
    """One of each kind."""

    name: Annotated[str, msgspec.Meta(min_length=2, max_length=5)]
    password: forms.Password
    count: Annotated[int, msgspec.Meta(ge=1, le=9)] | None = None
    kind: Literal["a", "b"] = "a"
    flag: bool = True
    many: tuple[str, ...] = ()


GOOD = {"name": ["  ada "], "password": [" p w "]}


def read(**fields):
    return forms.Filled(Example, GOOD | fields)


def test_fields_become_a_struct():
    """Trimmed, but a password as it was typed; an unticked box is sent by no browser."""
    value = read(count=["3"], kind=["b"], many=["x", "", "y"]).value
    assert (
        Example(name="ada", password=" p w ", count=3, kind="b", flag=False, many=("x", "y"))
        == value
    )
    assert (True, None) == (read(flag=["on"]).value.flag, read(count=[""]).value.count)


@pytest.mark.parametrize(
    ("field", "sent", "said"),
    [
        ("name", [], "Please fill in this field."),
        ("name", ["   "], "Please fill in this field."),
        ("name", ["a"], "Please use 2 to 5 characters."),
        ("name", ["abcdef"], "Please use 2 to 5 characters."),
        ("password", [""], "Please fill in this field."),
        ("password", ["p" * 257], "Please use at most 256 characters."),
        ("count", ["0"], "Please give a whole number from 1 to 9."),
        ("count", ["x"], "Please give a whole number from 1 to 9."),
        ("count", ["1.5"], "Please give a whole number from 1 to 9."),
        ("kind", ["c"], "Please choose one of what is offered."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(field, sent, said):
    """In words, and there is no struct."""
    found = read(**{field: sent})
    assert (None, {field: said}) == (
        found.value, {name: speech("en").say(text) for name, text in found.errors.items()},
    )  # fmt: skip


def test_everything_wrong_is_said_at_once():
    """Nobody sends a form three times to learn three things."""
    found = forms.Filled(Example, {"count": ["x"]})
    assert {"name", "password", "count"} == set(found.errors)


def test_a_rule_of_the_domain_is_said_like_any_other():
    """The first word on a field stands."""
    found = read()
    found.fail("name", "taken")
    found.fail("name", "again")
    assert (None, "taken") == (found.value, found.errors["name"].message)


def test_an_empty_form_shows_what_it_is_given():
    """And complains of nothing yet."""
    form = forms.empty(Example, name="ada", many=["x"], count=None)
    assert ({}, "ada", "", "x") == (
        form.errors, form.first("name"), form.first("count"), form.first("many"),
    )  # fmt: skip


# --- what is let through ----------------------------------------------------------------------


async def changes(request):
    """Changes something, if it is let."""
    return PlainTextResponse("changed " + forms.filled(request, forms.Form).first("x"))


@pytest.fixture
def changing(monkeypatch):
    """A page whose form changes something."""
    monkeypatch.setattr(
        app, "PAGES", (*app.PAGES, Route("/account/x", changes, methods=["GET", "POST"]))
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("headers", "csrf", "status"),
    [
        ({}, None, 200),
        ({"sec-fetch-site": "none"}, None, 200),
        ({"sec-fetch-site": None}, None, 200),
        ({"sec-fetch-site": None, "origin": None}, None, 200),
        ({"sec-fetch-site": None, "origin": "null"}, None, 200),
        ({"sec-fetch-site": "cross-site"}, None, 403),
        ({"sec-fetch-site": "same-site"}, None, 403),
        ({"sec-fetch-site": None, "origin": "https://evil.example"}, None, 403),
        ({"sec-fetch-site": None, "origin": ORIGIN + ".evil.example"}, None, 403),
        ({}, "", 403),
        ({}, "x", 403),
        ({"sec-fetch-site": None, "origin": None}, "", 403),
    ],
)
async def test_only_our_own_forms_change_anything(database, changing, headers, csrf, status):
    """By what browsers say about where it came from, and by the token in any case."""
    async with visiting(database) as visitor:
        await visitor.get("/account/none")
        answer = await visitor.post("/account/x", headers=headers, csrf=csrf, x="1")
        assert status == answer.status_code
        assert (status == 200) == ("changed 1" in answer.text)


@pytest.mark.asyncio
async def test_a_token_is_good_in_its_own_browser_only(database, changing):
    """Login CSRF: an attacker's own token does not help."""
    async with visiting(database) as attacker, visiting(database, attacker.console) as victim:
        await attacker.get("/account/none")
        await victim.get("/account/none")
        assert 403 == (await victim.post("/account/x", csrf=attacker.token)).status_code
        assert 200 == (await victim.post("/account/x")).status_code


@pytest.mark.asyncio
async def test_whoever_was_logged_out_meanwhile_logs_in_again(database, changing):
    """Instead of being told that the form is wrong; nothing was changed."""
    async with visiting(database) as visitor:
        token = await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account/profile")
        await visitor.console.accounts.sessions.end(token)
        answer = await visitor.post("/account/x", x="1")
        assert (303, "/login?for=") == (answer.status_code, answer.headers["location"][:11])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "media", "status"),
    [
        (b"a=1", "text/plain", 415),
        (b"{}", "application/json", 415),
        (b"a=" + b"x" * 65_536, "application/x-www-form-urlencoded", 413),
        (b"&".join([b"a=1"] * 201), "application/x-www-form-urlencoded", 400),
        (b"a=%ff", "application/x-www-form-urlencoded", 400),
        (b"a=b%00", "application/x-www-form-urlencoded", 400),
        ("a=é".encode(), "application/x-www-form-urlencoded", 400),
        (b"a=1", "application/x-www-form-urlencoded", 403),
    ],
)
async def test_what_is_no_form_of_ours_is_refused(database, changing, body, media, status):
    """Bounded before it is read, and never taken for something else."""
    async with visiting(database) as visitor:
        answer = await visitor.client.post(
            "/account/x", content=body, headers={"content-type": media}
        )
        assert status == answer.status_code


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path", ["/topup/%00", "/account/usage/a%00", "/account/usage?before=%00", "/login?for=%00"]
)
async def test_an_address_that_no_database_takes_is_not_there(database, path):
    """PostgreSQL has no text with a zero in it; nor have we."""
    async with visiting(database) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        assert 404 == (await visitor.get(path)).status_code


NUMBERED = [page for page in PAGES if ":row}" in page.path]


def test_pages_that_have_an_id_say_so_in_one_way():
    """A plain number of any length would reach the database."""
    assert 15 < len(NUMBERED)
    assert [] == [page.path for page in PAGES if ":int}" in page.path]
    assert "{key:row}" == row("key")


@pytest.mark.parametrize("text", ["9" * 16, "9" * 400, "-1", "+1", "1.0", "0x1", "\u0661", ""])
def test_what_is_no_id_is_another_path(text):
    """Also digits of other scripts."""
    for page in NUMBERED:
        path = re.sub(r"\{\w+:row\}", text, page.path)
        scope = {"type": "http", "path": path, "method": "POST", "headers": []}
        assert Match.NONE is page.matches(scope)[0]


@pytest.mark.asyncio
async def test_the_largest_id_is_only_a_row_that_is_not_there(database):
    """404, and no failure."""
    async with visiting(database) as visitor:
        ada = await visitor.console.identity.create_user("ada", "ada@example.com")
        await visitor.log_in(ada)
        await visitor.get("/account")
        for path, method in (
            ("/account/statement/{}", visitor.get),
            ("/account/keys/{}", visitor.get),
            ("/account/developer/apps/{}", visitor.get),
            ("/account/applications/{}/revoke", visitor.post),
            ("/account/developer/tokens/{}/revoke", visitor.post),
        ):
            for number in ("9" * 15, "9" * 30):
                assert 404 == (await method(path.format(number))).status_code, path
