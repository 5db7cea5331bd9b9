"""Recognises browsers in which a user logged in before, so that others' failed logins do not keep
the user out.

The cookie is sealed and names the user and a random value of this browser. Passwords typed in it
for that user are counted by that value, apart from those that others type for the same name or from
the same network. A stolen cookie is worth five guesses, then a pause, as any browser is.
"""

import secrets
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context, cookies, seal
from trivium.identity.accounts.model import Device

COOKIE: Final = "gw_device"
KEEP_S: Final = 180 * 86_400
_PURPOSE: Final = "device"


def of(request: Request) -> Device | None:
    """Return the device of a browser's cookie; ``None`` when nobody logged in with it before."""
    console = context.of(request)
    sealed = request.cookies.get(cookies.name(console, COOKIE), "")
    text = seal.opened(console.ring, _PURPOSE, sealed) if sealed else None
    if text is None:
        return None
    user_id, value, until = text.split(":")
    if console.clock.now() >= int(until):
        return None
    return Device(user_id=int(user_id), value=value)


def remember(request: Request, response: Response, user_id: int) -> None:
    """Give the browser in which ``user_id`` has just logged in a cookie that says so."""
    console = context.of(request)
    known = of(request)
    kept = known is not None and known.user_id == user_id
    value = known.value if known is not None and kept else secrets.token_urlsafe(16)
    text = f"{user_id}:{value}:{int(console.clock.now()) + KEEP_S}"
    cookies.give(request, response, COOKIE, seal.seal(console.ring, _PURPOSE, text), KEEP_S)
