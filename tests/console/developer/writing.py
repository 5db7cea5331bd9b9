"""Somebody who writes applications, logged in."""

import contextlib
import re

from console.consent.asking import Asking

HOME = "/account/developer"
SECRET = re.compile(r"gws_[A-Za-z0-9_-]{43}")
TOKEN = re.compile(r"gwdev_[A-Za-z0-9_-]{43}")
APP = {
    "name": "Mine",
    "description": "About it.",
    "redirect_uri": "https://mine.example/callback",
}
CHECKED = {"asks": "1", "refreshes": "1", "rotates": "1"}


@contextlib.asynccontextmanager
async def writing(database, **settings):
    """The owner of an application, in a browser."""
    async with Asking.over(database, **settings) as asking:
        await logged_in(asking, asking.owner)
        yield asking


async def logged_in(asking, user):
    """Be that user."""
    await asking.visitor.log_in(user)
