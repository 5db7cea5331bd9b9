"""A user's own applications, as pages."""

import re

import pytest

from console.consent.asking import CALLBACK
from console.developer.writing import APP, CHECKED, HOME, SECRET, logged_in, writing
from console.visiting import Seen
from trivium.console import forms
from trivium.console.developer.apps import NewApp, refuse
from trivium.oauth.apps.model import AppStatus, GrantType
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("field", "where"),
    [("name", "name"), ("redirect_uri", "redirect_uri"), ("limit", ""), ("rate", ""), ("x", "")],
)
async def test_it_stands_where_it_belongs(field, where):
    """Beside the field, or above the form."""
    form = forms.empty(NewApp, name="a", redirect_uri="b", description="c")
    refuse(form, RegistrationError(field, "for developers"))
    assert [where] == list(form.errors)
    assert "for developers" not in str(form.errors[where])


def page(owner, more=""):
    return f"{HOME}/apps/{owner.app.id}{more}"


async def opens(owner, secret):
    """Whether a secret of the application opens."""
    try:
        await owner.oauth.apps.authenticate(owner.app.client_id, secret)
    except OAuthError:
        return False
    return True


async def test_applications_are_listed_with_what_settings_need(owner):
    """Names, ids, the addresses of the service; no secret."""
    answer = await owner.visitor.get(HOME)
    seen = Seen(answer.text)
    for words in ("Shop & Co", owner.app.client_id, "https://gateway.example/api/oauth2/token"):
        assert words in seen.text
    assert [] == SECRET.findall(answer.text)


async def test_an_application_is_registered_and_its_secret_shown_once(owner):
    """On the page that answers the form, and nowhere after."""
    await owner.visitor.get(f"{HOME}/apps/new")
    answer = await owner.visitor.post(f"{HOME}/apps/new", **APP)
    (secret,) = set(SECRET.findall(answer.text))
    *_, made = await owner.oauth.apps.owned_by(owner.owner.id)
    assert ("Mine", "About it.", APP["redirect_uri"]) == (
        made.name, made.description, made.redirect_uri,
    )  # fmt: skip
    assert made == await owner.oauth.apps.authenticate(made.client_id, secret)
    for path in (HOME, f"{HOME}/apps/{made.id}"):
        assert [] == SECRET.findall((await owner.visitor.get(path)).text)


WRONG = {
    "no name": ({"name": ""}, "Please fill in this field."),
    "unseen": ({"name": "a\u202eb"}, "characters that can be seen"),
    "long": ({"description": "x" * 501}, "at most 500 characters"),
    "http": ({"redirect_uri": "http://mine.example/"}, "begins with https://"),
    "fragment": ({"redirect_uri": "https://mine.example/#x"}, "begins with https://"),
    "empty": ({"redirect_uri": ""}, "Please fill in this field."),
}


@pytest.mark.parametrize(("changes", "said"), WRONG.values(), ids=WRONG)
async def test_what_is_wrong_stands_beside_its_field(owner, changes, said):
    """For new ones and for changes; what was typed is still there."""
    await owner.visitor.get(f"{HOME}/apps/new")
    answer = await owner.visitor.post(f"{HOME}/apps/new", **APP | changes)
    assert (422, True) == (answer.status_code, said in Seen(answer.text).text)
    assert APP["redirect_uri" if "name" in changes else "name"] in answer.text
    answer = await owner.visitor.post(page(owner), **APP | CHECKED | changes)
    assert (422, True) == (answer.status_code, said in Seen(answer.text).text)
    assert owner.app == await owner.oauth.apps.find(owner.app.client_id)


async def test_limits_are_told(database):
    """Above the form."""
    async with writing(database, oauth=Rules(apps_max=1)) as owner:
        await owner.visitor.get(f"{HOME}/apps/new")
        answer = await owner.visitor.post(f"{HOME}/apps/new", **APP)
        assert (422, True) == (answer.status_code, "as many applications" in answer.text)


async def test_an_application_is_changed(owner):
    """Every field of it."""
    await owner.visitor.get(page(owner))
    answer = await owner.visitor.post(page(owner), **APP, refreshes="1", issuer="1")
    assert (303, page(owner)) == (answer.status_code, answer.headers["location"])
    made = await owner.oauth.apps.find(owner.app.client_id)
    assert ("Mine", frozenset({GrantType.REFRESH}), False, True) == (
        made.name, made.grants, made.rotate_refresh, made.send_iss,
    )  # fmt: skip
    assert "The application was changed." in (await owner.visitor.get(page(owner))).text


async def test_the_page_shows_how_it_is_set(owner):
    """Checkboxes as they are stored."""
    seen = Seen((await owner.visitor.get(page(owner))).text)
    checked = {a["name"] for tag, a in seen.elements if tag == "input" and "checked" in a}
    assert {"asks", "refreshes", "rotates"} == checked
    typed = {a.get("value") for tag, a in seen.elements if tag == "input"}
    assert {"Shop & Co", CALLBACK} <= typed


async def test_a_secret_is_replaced_and_the_old_one_opens_for_a_day(owner):
    """The new one is shown once."""
    await owner.visitor.get(page(owner, "/secret"))
    answer = await owner.visitor.post(page(owner, "/secret"))
    (secret,) = set(SECRET.findall(answer.text))
    assert [True, True] == [await opens(owner, each) for each in (owner.secret, secret)]
    assert "opens until" in (await owner.visitor.get(page(owner))).text
    await owner.visitor.post(page(owner, "/secret/end"))
    assert [False, True] == [await opens(owner, each) for each in (owner.secret, secret)]


async def test_replacing_a_secret_needs_a_recent_login(owner):
    """Whoever finds an open browser is asked who they are."""
    owner.console.clock.advance(601)
    await owner.visitor.get(HOME)
    for answer in (
        await owner.visitor.get(page(owner, "/secret")),
        await owner.visitor.post(page(owner, "/secret")),
    ):
        assert (303, True) == (
            answer.status_code, answer.headers["location"].startswith("/login/confirm?for="),
        )  # fmt: skip
    _, secrets = await owner.oauth.apps.owned(owner.owner.id, owner.app.id)
    assert 1 == len(secrets)


async def test_an_application_is_suspended_and_resumed(owner):
    """As its page says."""
    await owner.visitor.get(page(owner))
    await owner.visitor.post(page(owner, "/suspend"))
    assert AppStatus.SUSPENDED is (await owner.oauth.apps.find(owner.app.client_id)).status
    assert "Resume" in (await owner.visitor.get(page(owner))).text
    await owner.visitor.post(page(owner, "/resume"))
    assert AppStatus.ACTIVE is (await owner.oauth.apps.find(owner.app.client_id)).status


async def test_what_the_operator_blocked_stays_so(owner):
    """The page says it, offers no way round, and a form made up does nothing."""
    await owner.oauth.apps.operate(owner.app.client_id, status=AppStatus.BLOCKED)
    shown = (await owner.visitor.get(page(owner))).text
    assert "The operator has blocked this application." in shown
    assert page(owner, "/resume") not in shown
    answer = await owner.visitor.post(page(owner, "/resume"))
    assert (303, page(owner)) == (answer.status_code, answer.headers["location"])
    assert "Only the operator can resume it." in (await owner.visitor.get(page(owner))).text
    assert AppStatus.BLOCKED is (await owner.oauth.apps.find(owner.app.client_id)).status


async def test_an_application_is_deleted(owner):
    """With a word about it."""
    await owner.visitor.get(page(owner))
    answer = await owner.visitor.post(page(owner, "/delete"))
    assert (303, HOME) == (answer.status_code, answer.headers["location"])
    assert None is await owner.oauth.apps.find(owner.app.client_id)
    assert "“Shop &amp; Co” is deleted" in (await owner.visitor.get(HOME)).text
    assert 404 == (await owner.visitor.get(page(owner))).status_code


POSTS = ["", "/secret", "/secret/end", "/suspend", "/resume", "/delete"]


@pytest.mark.parametrize("more", POSTS)
async def test_nobody_sees_or_touches_anothers_application(owner, more):
    """404, as for one that does not exist."""
    await logged_in(owner, owner.ada)
    await owner.visitor.get(HOME)
    answer = await owner.visitor.post(page(owner, more), **APP, **CHECKED)
    assert 404 == answer.status_code
    assert 404 == (await owner.visitor.get(page(owner))).status_code
    assert owner.app == await owner.oauth.apps.find(owner.app.client_id)


@pytest.mark.parametrize("more", POSTS)
async def test_a_form_from_elsewhere_does_nothing(owner, more):
    """403 without the token; and without a login, off to it."""
    answer = await owner.visitor.post(page(owner, more), csrf="x", **APP)
    assert 403 == answer.status_code
    assert owner.app == await owner.oauth.apps.find(owner.app.client_id)
    owner.visitor.client.cookies.clear()
    answer = await owner.visitor.get(page(owner))
    assert (303, True) == (answer.status_code, answer.headers["location"].startswith("/login?for="))


async def test_names_are_no_markup(owner):
    """Neither on the owner's pages nor on those of others."""
    await owner.visitor.get(f"{HOME}/apps/new")
    await owner.visitor.post(f"{HOME}/apps/new", **APP | {"name": "<script>x</script>"})
    for path in (HOME, f"{HOME}/apps/{owner.app.id + 1}"):
        text = (await owner.visitor.get(path)).text
        assert "<script>x" not in text
        assert re.search("&lt;script&gt;x", text)
