"""Cookies of ours: what they are called here, and what holds for all of them."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context

SECURE_PREFIX: Final = "__Host-"


def name(console: context.Console, cookie: str) -> str:
    """Return the name of a cookie of ours: with a prefix where connections are encrypted."""
    return SECURE_PREFIX + cookie if console.secure else cookie


def forget(request: Request, response: Response, cookie: str) -> None:
    """Have the browser delete a cookie of ours."""
    console = context.of(request)
    response.delete_cookie(
        name(console, cookie), secure=console.secure, httponly=True, samesite="lax"
    )


def give(
    request: Request, response: Response, cookie: str, value: str, max_age: int | None = None
) -> None:
    """Set a cookie that is sent to us alone, and that no script reads.

    ``max_age``: seconds; ``None``: until the browser closes.
    """
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
