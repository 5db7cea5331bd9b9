"""What the login page says of the application that sent somebody there.

A login on a page that names the application, its host and what it will see is as good as an answer
to the question, which is what ``auto_authorize`` hangs on.
"""

import re
from typing import Final

from starlette.requests import Request

from trivium.console import context
from trivium.console.consent.wording import scopes_in_words
from trivium.console.entrance.purpose import Purpose
from trivium.oauth import redirect
from trivium.oauth.errors import Refused

_PAGE: Final = re.compile(r"/authorize/(gwar_[A-Za-z0-9_-]{43})")


async def tell(request: Request, path: str) -> Purpose | None:
    """The application, where ``path`` is one of our consent pages; else ``None``."""
    found = _PAGE.fullmatch(path)
    if found is None:
        return None
    try:
        pending = await context.of(request).oauth.consents.find(found[1])
    except Refused:
        return None
    asked = pending.asked
    return Purpose(
        "consent/arrival.html",
        {
            "name": asked.app.name,
            "host": redirect.host(asked.redirect_uri),
            "scopes": scopes_in_words(asked.scopes),
        },
    )


async def entered(request: Request, path: str, user_id: int) -> None:
    """Somebody logged in on a page that named the application of ``path``, if it did."""
    found = _PAGE.fullmatch(path)
    if found is not None:
        try:
            await context.of(request).oauth.consents.logged_in(found[1], user_id)
        except Refused:
            return
