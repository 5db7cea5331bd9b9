"""Who may open what of a team, and in which words it is refused."""

import pytest

from trivium.console.teams import access
from trivium.identity.errors import IdentityError, TakenError
from trivium.identity.teams.model import TeamRole


@pytest.mark.asyncio
async def test_tabs_and_parents_are_those_one_may_open(company):
    """Of the teams above only those that one may see."""
    for name, parent, settings in (("ola", True, True), ("eve", True, True), ("mia", False, False)):
        page = (await (await company.browser(name)).get(company.path())).text
        assert (f'href="/account/teams/{company.acme.id}"' in page) is parent, name
        assert (company.path("/settings") in page) is settings, name


@pytest.mark.asyncio
async def test_a_visitor_logs_in_first(company):
    """And comes back."""
    browser = await company.browser("out")
    browser.client.cookies.clear()
    answer = await browser.get(company.path())
    assert 303 == answer.status_code
    assert answer.headers["location"].startswith("/login?for=")


def test_what_is_wrong_is_said_in_words():
    """Never as the exception has it."""
    assert "already" in access.said(TakenError("name", "x")).message
    assert "last owner" in access.said(IdentityError("role", "x")).message
    assert "as it should be" in access.said(IdentityError("elsewhere", "x")).message


@pytest.mark.asyncio
async def test_roles_that_can_be_given_are_those_of_the_rights(company):
    """A manager appoints no owner."""
    for name, owner in (("ola", True), ("mia", False)):
        page = (await (await company.browser(name)).get(company.path("/members"))).text
        assert (f'value="{TeamRole.OWNER.value}"' in page) is owner, name
