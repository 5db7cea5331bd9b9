"""Who may open which page: every page by every role. A page without a row fails.

``test_every_route.py`` walks the same pages with everything of somebody else's in the form, and
looks at whether anything has changed; here is who is let in at all.
"""

import contextlib
import re

import pytest
import pytest_asyncio

from console.company import ROLES, Company
from console.visiting import console_over
from trivium.console.app import PAGES

EVERYBODY = ("nobody", "out", "meg", "bill", "mia", "ola", "eve")
"""A visitor; somebody in no team; member, who reads bills and manager of ``acme/research``; owner
of ``acme``; an administrator."""
LOGGED_IN = EVERYBODY[1:]
SEEING = ("meg", "bill", "mia", "ola", "eve")
MANAGING = ("mia", "ola", "eve")
OWNING = ("ola", "eve")
ADMIN = ("eve",)
MEG = ("meg",)
"""Whose key it is: not an administrator's to see there, nor a manager's."""
NONE = ()
"""What has the id of something that is not there: nobody is let in."""

_ACCOUNT = """
/account /account/announcements/dismiss /account/applications /account/applications/revoke
/account/developer /account/developer/apps/new /account/developer/tokens/new /account/keys
/account/keys/new /account/keys/pause /account/keys/resume /account/keys/revoke /account/log
/account/models /account/playground /account/profile /account/profile/balance
/account/profile/email
/account/profile/letters /account/profile/name /account/profile/verify /account/security
/account/security/factor /account/security/factor/codes /account/security/factor/off
/account/security/outside/{name} /account/security/passkeys/begin /account/security/passkeys/new
/account/security/passkeys/remove /account/security/password /account/security/sessions/end
/account/security/sessions/end-all /account/security/unlink /account/spending
/account/spending.csv /account/statement /account/teams /account/usage /account/videos /login/confirm
/login/confirm/outside/{name} /login/confirm/passkey /topup /topup/code
"""
_OF_OTHERS = """
/account/applications/{grant_id}/cap
/account/applications/{grant_id}/revoke /account/developer/apps/{app_id}
/account/developer/apps/{app_id}/delete /account/developer/apps/{app_id}/resume
/account/developer/apps/{app_id}/secret /account/developer/apps/{app_id}/secret/end
/account/developer/apps/{app_id}/suspend /account/developer/tokens/{token_id}/revoke
/account/models/{name} /account/statement/{id} /account/usage/{id} /topup/{reference}
"""
_OPEN = """
/account/preferences /authorize/{request_id} /email/{token} /invitation/{token} /login /login/code
/login/outside/{name} /login/outside/{name}/callback /login/passkey /login/passkey/begin /logout
/password/forgot /password/reset/{token} /setup/{token} /sign-up /sign-up/{token}
/team-invitation/{token} /team-invitation/{token}/account
"""
_ADMIN = """
/admin /admin/announcements /admin/announcements/remove /admin/applications
/admin/applications/transfer /admin/budgets /admin/budgets/clear /admin/catalogue/ask
/admin/changes /admin/channels /admin/channels/edit /admin/channels/new /admin/channels/test /admin/codes
/admin/codes/{batch} /admin/codes/{batch}/revoke /admin/credit /admin/credit/undo
/admin/directories /admin/directories/{directory}/revoke /admin/explain /admin/groups
/admin/groups/edit /admin/groups/new /admin/invitations /admin/invitations/withdraw /admin/invoices
/admin/invoices/{invoice}/pdf /admin/invoices/{invoice}/void /admin/keys /admin/ledger
/admin/ledger.csv /admin/ledger/proof /admin/log /admin/models /admin/models/edit /admin/models/new
/admin/payments /admin/payments/{payment} /admin/prices /admin/prices/adopt /admin/prices/adopt-all
/admin/prices/look /admin/prices/proposals/adopt /admin/prices/proposals/dismiss /admin/requests
/admin/requests.csv /admin/requests.jsonl /admin/requests/{id} /admin/routing /admin/settings
/admin/start /admin/statement /admin/statement.csv /admin/statement.focus.csv /admin/teams
/admin/teams/new /admin/tokens /admin/tokens/{machine}/revoke /admin/tokens/{machine}/rotate
/admin/users /admin/users/new /admin/users/{user} /admin/users/{user}/data
/admin/users/{user}/erase /admin/users/{user}/export.jsonl /admin/users/{user}/keys/new
/admin/users/{user}/keys/pause /admin/users/{user}/keys/resume /admin/users/{user}/keys/revoke
/admin/users/{user}/keys/{key} /admin/users/{user}/keys/{key}/rotate /admin/users/{user}/logins
/admin/users/{user}/password /admin/users/{user}/redeem /admin/users/{user}/requests/{id}
/admin/users/{user}/terms /admin/videos
"""
_TEAM = "/account/teams/{team}"
_SERVICE = f"{_TEAM}/services/{{service}}"
ROWS = {
    **dict.fromkeys(_OPEN.split(), EVERYBODY),
    **dict.fromkeys(_ACCOUNT.split(), LOGGED_IN),
    **dict.fromkeys(_OF_OTHERS.split(), NONE),
    **dict.fromkeys(_ADMIN.split(), ADMIN),
    "/account/keys/{key}": MEG,
    "/account/keys/{key}/rotate": MEG,
    _TEAM: SEEING,
    f"{_TEAM}/members": SEEING,
    f"{_TEAM}/members/change": MANAGING,
    f"{_TEAM}/members/withdraw": MANAGING,
    f"{_TEAM}/budgets": SEEING,
    f"{_TEAM}/budgets/clear": SEEING,  # which of them by its scope: test_budgets.py
    f"{_TEAM}/keys": SEEING,
    f"{_TEAM}/keys/revoke": SEEING,  # their own: test_keys.py
    f"{_TEAM}/leave": SEEING,
    f"{_TEAM}/new": OWNING,
    f"{_TEAM}/settings": OWNING,
    f"{_TEAM}/services": MANAGING,
    _SERVICE: MANAGING,
    **dict.fromkeys(
        (
            f"{_SERVICE}/{rest}"
            for rest in (
                *("keys/new", "keys/pause", "keys/resume", "keys/revoke", "keys/{key}"),
                *("keys/{key}/rotate", "switch"),
            )
        ),
        MANAGING,
    ),
}
POSTS = {f"{_TEAM}/members": MANAGING}
"""Where whoever looks may not act."""
NAMING = {f"/account/security/{act}" for act in ("passkeys/remove", "sessions/end", "unlink")}
"""Acts on what the form names."""
ROUTES = sorted(
    (re.sub(r":\w+\}", "}", route.path), method)
    for route in PAGES
    for method in route.methods - {"HEAD"}
)


def allowed(path, method):
    """The names of those who are let in."""
    return POSTS.get(path, ROWS[path]) if method == "POST" else ROWS[path]


class House:
    """A company in which every page has something to show."""

    def __init__(self, company):
        self.company = company
        self.browsers = {}
        self.spare = None
        self.ids = {}

    async def furnish(self):
        company = self.company
        key, _ = await company.console.identity.create_key("meg", "notebook")
        service = await company.console.teams.create_service(company.research.id, "nightly")
        robot, _ = await company.console.identity.create_key(service.name, "cron")
        self.ids = {
            "team": company.research.id,
            "user": company.people["meg"].id,
            "service": service.id,
            "key": key.id,
            "robot": robot.id,
        }

    async def ask(self, name, path, method):
        """The answer to somebody."""
        browser = self.browsers.get(name) or await self.browser(name)
        where = self.filled(path)
        if method == "GET":
            return await browser.get(where)
        answer = await browser.post(where)
        if path.endswith("/leave"):
            for who, role in ROLES:
                await self.company.console.teams.put_member(
                    self.company.research.id, self.company.people[who].id, role
                )
        if not path.startswith(("/account/teams", "/admin")):
            self.spare = self.browsers.pop(name)  # it may have ended the login
        return answer

    async def browser(self, name):
        """A browser of theirs, whose forms have a token."""
        made = self.browsers[name] = self.spare or await self.company.browser("out")
        self.spare = None
        made.client.cookies.clear()
        if name != "nobody":
            await made.log_in(self.company.people[name])
        await made.get("/login" if name == "nobody" else "/account/security/factor")
        return made

    def filled(self, path):
        """The path with ids of what is there, or of nothing."""
        ids = self.ids | ({"key": self.ids["robot"]} if "{service}" in path else {})
        return re.sub(r"\{(\w+)\}", lambda found: str(ids.get(found[1], 999_999)), path)


@pytest_asyncio.fixture
async def house(database, clock):
    async with contextlib.AsyncExitStack() as stack:
        company = Company(console_over(database, clock), stack)
        await company.found()
        made = House(company)
        await made.furnish()
        yield made


def to_login(answer):
    return answer.status_code == 303 and answer.headers["location"].startswith("/login?for=")


def wrong_with(name, path, method, answer):
    """What is wrong with an answer to somebody; empty: nothing."""
    may = allowed(path, method)
    said = f"{method} {path} as {name}: {answer.status_code}"
    if name == "nobody" and name not in may:
        return "" if to_login(answer) else said
    if answer.status_code >= 500:
        return said
    if name not in may:
        out = (403, 404, 422) if may == NONE else (403, 404)
        return "" if answer.status_code in out else said
    if path in _OPEN.split():
        return ""  # what they need is in the form or in the link
    # what nothing is called, in the path or in the form, is not there for whoever may look, either
    out = (403,) if path.startswith("/admin") or path in NAMING else (403, 404)
    return said if answer.status_code in out or to_login(answer) else ""


def test_every_page_has_a_row():
    """And every row a page."""
    paths = {path for path, _ in ROUTES}
    assert (set(), set()) == (paths - ROWS.keys(), ROWS.keys() - paths)


@pytest.mark.asyncio
async def test_the_strongest_who_may_not_is_refused(house):
    """At every page and act."""
    found = []
    for path, method in ROUTES:
        for name in [name for name in EVERYBODY if name not in allowed(path, method)][-1:]:
            found.append(wrong_with(name, path, method, await house.ask(name, path, method)))
    assert not any(found), "\n".join(each for each in found if each)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_every_page_by_every_role(house):
    """Who may is let in, and who may not is refused."""
    found = [
        wrong_with(name, path, method, await house.ask(name, path, method))
        for path, method in ROUTES
        for name in EVERYBODY
    ]
    assert not any(found), "\n".join(each for each in found if each)
