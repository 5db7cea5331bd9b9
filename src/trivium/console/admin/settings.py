"""The settings that are in force, where each was given, and what waits for a restart. Read only:
they are written where they are.
"""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.api.admin.settings import read_last, table_of
from trivium.settings.origins import DEFAULT, SettingOrigin

AT: Final = "/admin/settings"
SHOWN_CHARS: Final = 200
"""Of a value; a longer one is cut."""


class ShownSetting(msgspec.Struct, frozen=True):
    """One row of the page."""

    name: str
    value: str
    """As the file would have it; empty for a secret and for nothing."""
    origin: str
    """Empty: its default."""
    is_secret: bool
    waits: bool
    """Whether it is in force after a restart only."""


@session.admin
async def show(request: Request) -> Response:
    """Show all settings by table, or those that were given, or those that fit a search."""
    asked = request.query_params
    words = asked.get("q", "")[:100].lower().split()
    is_given = asked.get("given") == "1"
    tables: dict[str, list[ShownSetting]] = {}
    waiting = 0
    for one, waits in read_last(context.of(request)):
        waiting += waits
        if is_given and one.origin == DEFAULT:
            continue
        if all(word in one.name.lower() for word in words):
            tables.setdefault(table_of(one), []).append(_shown(one, waits=waits))
    return render.page(
        request,
        "admin/settings.html",
        tables=tables,
        words=" ".join(words),
        is_given=is_given,
        waiting=waiting,
        at=AT,
    )


def _shown(one: SettingOrigin, *, waits: bool) -> ShownSetting:
    value = one.value
    text = "" if value is None else msgspec.json.encode(value).decode()
    if len(text) > SHOWN_CHARS:
        text = text[:SHOWN_CHARS] + "…"
    origin = "" if one.origin == DEFAULT else one.origin
    return ShownSetting(one.name, text, origin, one.is_secret, waits)


PAGES: Final = (Route(AT, show),)
