"""A page that is sent in pieces while something is done."""

from types import SimpleNamespace

import pytest
from starlette.responses import Response

from trivium.console.admin import growing
from trivium.console.language import text


@pytest.mark.asyncio
async def test_what_comes_stands_in_the_middle(monkeypatch):
    """With the page's own headers, and no length that nobody knows."""

    def page(_request, _template, *, mark, **_):
        return Response(f"<main>{mark}</main>", headers={"x-own": "1"}, media_type="text/html")

    async def pieces():
        yield "one "
        yield "two"

    monkeypatch.setattr(growing, "render", SimpleNamespace(page=page))
    said = text("x")
    answer = growing.growing(None, pieces(), title=said, lead=said, at="/", back=said)
    found = [each async for each in answer.body_iterator]
    assert ["<main>", "one ", "two", "</main>"] == found
    assert ("1", None) == (answer.headers["x-own"], answer.headers.get("content-length"))
