"""What holds for every cookie of ours."""

import pytest

from console.visiting import PASSWORD, console_over, user_of, visiting
from trivium.console import cookies
from trivium.console.cookies import DEVICE_S
from trivium.secret import Keyring


@pytest.mark.asyncio
async def test_they_are_out_of_reach(database):
    """Of scripts, other hosts, plain connections and forms of other sites."""
    async with visiting(database) as visitor:
        page = await visitor.get("/login")
        for cookie in page.headers.get_list("set-cookie"):
            name, _, rest = cookie.partition("=")
            assert "__Host-gw_visit" == name
            assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(rest.split("; "))
            assert "Domain" not in rest
        assert page.headers.get_list("set-cookie")


@pytest.mark.asyncio
async def test_on_plain_http_the_names_go_without_their_prefix(database):
    """Browsers take neither the prefix nor ``Secure`` there."""
    console = console_over(database, public_url="http://127.0.0.1:8080")
    async with visiting(database, console) as visitor:
        answer = await visitor.get("/login")
        assert answer.headers["set-cookie"].startswith("gw_visit=")
        assert "Secure" not in answer.headers["set-cookie"]


@pytest.mark.asyncio
async def test_a_forgotten_one_is_gone(database):
    """Under the name that it was given."""
    async with visiting(database) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account")
        await visitor.post("/logout")
        assert "__Host-gw_session" not in visitor.client.cookies


OLD, NEW = b"o" * 32, b"n" * 32
RING = Keyring(NEW, OLD)


@pytest.mark.parametrize("text", ["", "/account?before=12", "简体 & <b>", "a\0b"])
def test_what_was_sealed_opens(text):
    """Whatever it was, in characters that an address may hold."""
    sealed = cookies.seal(RING, "place", text, "visitor")
    assert text == cookies.opened(RING, "place", sealed, "visitor")
    assert sealed.replace("-", "").replace("_", "").isalnum()


def test_an_older_key_still_opens():
    """After the first key was replaced."""
    assert "x" == cookies.opened(RING, "place", cookies.seal(Keyring(OLD), "place", "x"))
    assert cookies.bears(RING, "form", "v", cookies.mark(Keyring(OLD), "form", "v"))


@pytest.mark.parametrize(
    ("purpose", "visitor"), [("notice", "v"), ("place", "w"), ("place", ""), ("placev", "")]
)
def test_a_seal_is_for_one_purpose_and_one_visitor(purpose, visitor):
    """What one browser was handed is worth nothing in another."""
    assert None is cookies.opened(RING, purpose, cookies.seal(RING, "place", "x", "v"), visitor)


def test_a_changed_character_is_found_out():
    """Wherever it is."""
    sealed = cookies.seal(RING, "place", "/account")
    for at in range(len(sealed) - 1):
        changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]
        assert None is cookies.opened(RING, "place", changed)


@pytest.mark.parametrize("text", ["", "A", "====", "é", "A" * 4, "A" * 400, "../..", "\ud800"])
def test_nonsense_does_not_open(text):
    """And raises nothing."""
    assert None is cookies.opened(RING, "place", text)
    assert not cookies.bears(RING, "form", "v", text)


@pytest.mark.asyncio
async def test_failures_of_others_do_not_keep_somebody_out_of_their_browser(database):
    """Not those for the same name, not those from the same network; others wait."""
    console = console_over(database)
    await user_of(console, password=PASSWORD)
    async with visiting(database, console) as home, visiting(database, console) as stranger:
        await home.get("/login")
        assert 303 == (await home.post("/login", name="ada", password=PASSWORD)).status_code
        await home.post("/logout")
        await stranger.get("/login")
        for name in ["ada"] * 6 + [f"nobody{n}" for n in range(100)]:
            await stranger.post("/login", name=name, password="wrong horse battery")
        answer = await stranger.post("/login", name="ada", password=PASSWORD)
        assert 429 == answer.status_code
        await home.get("/login")
        assert 303 == (await home.post("/login", name="ada", password=PASSWORD)).status_code


@pytest.mark.asyncio
@pytest.mark.parametrize("made_up", ["", "x", "1:abc:9999999999", "AAAA"])
async def test_a_cookie_that_is_not_ours_says_nothing(database, made_up):
    """It is counted as a stranger's."""
    console = console_over(database)
    await user_of(console, password=PASSWORD)
    async with visiting(database, console) as visitor:
        visitor.client.cookies.set("__Host-gw_device", made_up, domain="gateway.example")
        await visitor.get("/login")
        for _ in range(5):
            await visitor.post("/login", name="ada", password="wrong horse battery")
        answer = await visitor.post("/login", name="ada", password=PASSWORD)
        assert 429 == answer.status_code


@pytest.mark.asyncio
async def test_a_browser_is_forgotten_after_half_a_year(database, clock):
    """Then its owner is a stranger there, too."""
    console = console_over(database, clock)
    await user_of(console, password=PASSWORD)
    async with visiting(database, console) as visitor:
        await visitor.get("/login")
        await visitor.post("/login", name="ada", password=PASSWORD)
        await visitor.post("/logout")
        clock.advance(DEVICE_S)
        await visitor.get("/login")
        for _ in range(5):
            await visitor.post("/login", name="ada", password="wrong horse battery")
        assert 1 == len([c for c in visitor.client.cookies.jar if c.name.endswith("device")])
        answer = await visitor.post("/login", name="ada", password=PASSWORD)
        assert 429 == answer.status_code
