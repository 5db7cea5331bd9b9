"""From a template to an answer."""

import jinja2
import pytest
from starlette.routing import Route

from console.visiting import Seen, visiting
from trivium.console import app, render
from trivium.console.render import SECTIONS, environment, sections
from trivium.identity.model import User, UserRole

ADA = User(id=1, name="ada", email="ada@example.com")
EVE = User(id=2, name="eve", email="eve@example.com", role=UserRole.ADMIN)


def paths(user):
    return [link.path for section in sections(user) for link in section.links]


def test_everybody_sees_what_they_may_open():
    """Administrators everything, visitors nothing."""
    every = [link.path for section in SECTIONS for link in section.links]
    assert [] == paths(None)
    assert [path for path in every if not path.startswith("/admin")] == paths(ADA)
    assert every == paths(EVE)
    assert len(every) == len(set(every))


def test_every_link_has_a_symbol_that_is_drawn():
    """A misspelt one would break every page."""
    drawn = environment("en").get_template("icons.html").module.paths
    assert set() == {link.icon for section in SECTIONS for link in section.links} - set(drawn)


async def told(request):
    return render.redirect(request, "/account/none", "Hello %(name)s", name="<b>ada</b>")


@pytest.fixture
def telling(monkeypatch):
    """A page that says something at the next one."""
    monkeypatch.setattr(app, "PAGES", (*app.PAGES, Route("/account/told", told)))


def test_a_template_s_unknown_name_is_an_error():
    """Not a blank that nobody notices."""
    with pytest.raises(jinja2.UndefinedError):
        render.environment("en").from_string("{{ nobody_gave_this }}").render()


def test_what_people_wrote_is_text_not_markup():
    """In every template."""
    made = render.environment("en").from_string("{{ name }}{% trans %}Hi {{ name }}{% endtrans %}")
    assert "&lt;b&gt;Hi &lt;b&gt;" == made.render(name="<b>")


@pytest.mark.asyncio
async def test_a_notice_is_shown_once(database, telling):
    """On the page that follows, with its values as text."""
    async with visiting(database) as visitor:
        answer = await visitor.get("/account/told")
        assert (303, "/account/none") == (answer.status_code, answer.headers["location"])
        page = await visitor.get("/account/none")
        assert "Hello <b>ada</b>" in Seen(page.text).text
        assert "&lt;b&gt;ada" in page.text
        assert "Hello" not in (await visitor.get("/account/none")).text


@pytest.mark.asyncio
async def test_nobody_can_put_words_into_our_mouth(database):
    """A notice that we did not seal is not shown."""
    async with visiting(database) as visitor:
        visitor.client.cookies.set("__Host-gw_notice", "eyJtZXNzYWdlIjoicGF5IG1lIn0")
        assert "pay me" not in (await visitor.get("/account/none")).text


@pytest.mark.asyncio
@pytest.mark.parametrize("theme", ["dark", "light", "pink", '"><script>'])
async def test_only_known_colours_reach_the_page(database, theme):
    """The cookie is the browser's to write."""
    async with visiting(database) as visitor:
        page = await visitor.get("/account/none", cookie=f"gw_theme={theme}")
        _, attributes = Seen(page.text).elements[0]
        assert (theme if theme in render.THEMES else None) == attributes.get("data-theme")
