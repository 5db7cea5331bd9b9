"""Cookies of ours: what they are called here, and what holds for all of them.

Texts that travel through a browser and come back are sealed: whoever changes one is found out. A
seal is bound to its purpose and, where one is given, to the visitor: what one browser was handed is
worth nothing in another.

One cookie recognises browsers in which a user logged in before, so that others' failed logins do
not keep the user out. It is sealed and names the user and a random value of this browser. Passwords
typed in it for that user are counted by that value, apart from those that others type for the same
name or from the same network. A stolen cookie is worth five guesses, then a pause, as any browser
is.
"""

import base64
import hmac
import secrets
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.identity.accounts.model import Device
from trivium.secret import Keyring

_MAC_BYTES: Final = 16


def seal(ring: Keyring, purpose: str, text: str, visitor: str = "") -> str:
    """The text with its seal, in URL-safe characters."""
    data = text.encode()
    return _encoded(ring.id + _mac(ring.key, purpose, visitor, data) + data)


def opened(ring: Keyring, purpose: str, sealed: str, visitor: str = "") -> str | None:
    """The text; ``None`` when it was not sealed by us, for this and for this visitor."""
    try:
        raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
        key = ring.get(raw[:4])
        mac, data = raw[4 : 4 + _MAC_BYTES], raw[4 + _MAC_BYTES :]
        if key is None or not hmac.compare_digest(mac, _mac(key, purpose, visitor, data)):
            return None
        return data.decode()
    except ValueError:
        return None


def mark(ring: Keyring, purpose: str, visitor: str) -> str:
    """What only we can derive from a visitor's secret: the token of their forms."""
    return _encoded(ring.id + _mac(ring.key, purpose, visitor, b""))


def bears(ring: Keyring, purpose: str, visitor: str, given: str) -> bool:
    """Whether a mark is the visitor's, under this key or an older one."""
    return opened(ring, purpose, given, visitor) == ""


def _mac(key: bytes, purpose: str, visitor: str, data: bytes) -> bytes:
    said = b"\0".join((purpose.encode(), visitor.encode(), data))
    return hmac.digest(key, said, "sha256")[:_MAC_BYTES]


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


SECURE_PREFIX: Final = "__Host-"


def name(console: context.Console, cookie: str) -> str:
    """Return the name of a cookie of ours: with a prefix where connections are encrypted."""
    return SECURE_PREFIX + cookie if console.secure else cookie


def read(request: Request, cookie: str) -> str:
    """The value of a cookie of ours; empty without one."""
    return request.cookies.get(name(context.of(request), cookie), "")


def forget(request: Request, response: Response, cookie: str) -> None:
    """Have the browser delete a cookie of ours."""
    console = context.of(request)
    response.delete_cookie(
        name(console, cookie), secure=console.secure, httponly=True, samesite="lax"
    )


def give(
    request: Request, response: Response, cookie: str, value: str, max_age: int | None = None
) -> None:
    """Set a cookie for us alone that no script reads; without ``max_age`` for this session."""
    console = context.of(request)
    response.set_cookie(
        name(console, cookie),
        value,
        max_age=max_age,
        path="/",
        secure=console.secure,
        httponly=True,
        samesite="lax",
    )


DEVICE: Final = "gw_device"
DEVICE_S: Final = 180 * 86_400
_DEVICE: Final = "device"


def device_of(request: Request) -> Device | None:
    """Return the device of a browser's cookie; ``None`` when nobody logged in with it before."""
    console = context.of(request)
    sealed = read(request, DEVICE)
    text = opened(console.ring, _DEVICE, sealed) if sealed else None
    if text is None:
        return None
    user_id, value, until = text.split(":")
    if console.clock.now() >= int(until):
        return None
    return Device(user_id=int(user_id), value=value)


def remember_device(request: Request, response: Response, user_id: int) -> None:
    """Give the browser in which ``user_id`` has just logged in a cookie that says so."""
    console = context.of(request)
    known = device_of(request)
    kept = known is not None and known.user_id == user_id
    value = known.value if known is not None and kept else secrets.token_urlsafe(16)
    text = f"{user_id}:{value}:{int(console.clock.now()) + DEVICE_S}"
    give(request, response, DEVICE, seal(console.ring, _DEVICE, text), DEVICE_S)
