"""Styles, scripts and pictures."""

import gzip
import re

import pytest

from console.visiting import visiting
from trivium.console import static


@pytest.mark.asyncio
async def test_a_file_is_kept_for_ever_under_the_name_of_its_content(database):
    """And comes packed to whoever can unpack it."""
    address = static.address("console.css")
    plain = (static.FOLDER / "console.css").read_bytes()
    async with visiting(database) as visitor:
        answer = await visitor.get(address, accept_encoding="identity")
        assert (200, plain) == (answer.status_code, answer.content)
        assert "public, max-age=31536000, immutable" == answer.headers["cache-control"]
        assert "text/css; charset=utf-8" == answer.headers["content-type"]
        async with visitor.client.stream("GET", address) as packed:
            raw = b"".join([piece async for piece in packed.aiter_raw()])
        assert ("gzip", plain) == (packed.headers["content-encoding"], gzip.decompress(raw))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path", ["console.css", "console.0000000000.css", "..%2fapp.py", "%00", "a" * 300]
)
async def test_only_present_names_are_served(database, path):
    """No name of a file reaches the disk."""
    async with visiting(database) as visitor:
        assert 404 == (await visitor.get(f"/static/{path}")).status_code


@pytest.mark.asyncio
async def test_browsers_find_the_picture_of_the_tab(database):
    """Where they look by themselves."""
    async with visiting(database) as visitor:
        answer = await visitor.get("/favicon.ico")
        assert (301, static.address("mark.svg")) == (
            answer.status_code, answer.headers["location"],
        )  # fmt: skip


@pytest.mark.asyncio
async def test_pages_load_nothing_from_elsewhere(database):
    """Every address in a page's head is a path of ours that is there."""
    async with visiting(database) as visitor:
        html = (await visitor.get("/account/none")).text
        found = re.findall(r'(?:src|href)="([^"#]+)"', html.partition("</head>")[0])
        assert 3 == len(found)
        for address in found:
            assert 200 == (await visitor.get(address)).status_code
        assert [] == re.findall(r"url\(|@import", (static.FOLDER / "console.css").read_text())
