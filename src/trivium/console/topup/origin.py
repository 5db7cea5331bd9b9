"""Which application sent somebody to the top-up page, and whether it meant this account.

The address carries a signed value of a quarter of an hour (``oauth/topup.py``). It logs nobody in
and says nothing of where to go back: that is the origin of the application's registered address.
"""

import msgspec
from starlette.requests import Request

from trivium.console import context
from trivium.oauth import redirect


class From(msgspec.Struct, frozen=True, kw_only=True):
    """The application behind a visit."""

    app_id: int
    name: str
    back: str
    """The origin of its registered address."""
    is_other: bool
    """It knows the user by another account than the one that is logged in."""
    client_id: str
    value: str
    """As it came, to be passed on with the form."""


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """What an address says of where its visitor comes from."""

    sent_by: From | None = None
    is_broken: bool = False
    """It names an application, but the value is not ours or too old."""


async def visit(request: Request, user_id: int, client_id: str, value: str) -> Visit:
    """Who sent this visitor."""
    if not client_id and not value:
        return Visit()
    found = await context.of(request).oauth.topup_of(client_id, value)
    if found is None:
        return Visit(is_broken=True)
    who, app = found
    if not app.works:
        return Visit(is_broken=True)
    return Visit(
        sent_by=From(
            app_id=app.id,
            name=app.name,
            back=redirect.origin(app.redirect_uri),
            is_other=who.user_id != user_id,
            client_id=client_id,
            value=value,
        )
    )


async def back(request: Request, app_id: int | None) -> tuple[str, str] | None:
    """Name and origin of the application a payment came from, while it may be used."""
    if app_id is None:
        return None
    app = await context.of(request).oauth.app_of(app_id)
    if app is None or not app.works:
        return None
    return app.name, redirect.origin(app.redirect_uri)
