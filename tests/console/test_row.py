"""Ids in paths: what no row can have is not there, at every page that has one."""

import re

import pytest
from starlette.routing import Match

from console.visiting import visiting
from trivium.console.app import PAGES
from trivium.console.row import row

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
