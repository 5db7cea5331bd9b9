"""Everybody's requests: found by what an administrator knows of them, and taken along as a file."""

import csv
import datetime as dt
import io
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.language import N_, LazyText, iso, text
from trivium.identity.errors import IdentityError
from trivium.ledger.amounts import format_usd
from trivium.observe.history.search.model import RequestFilter
from trivium.observe.history.service import RequestEntry

PATH: Final = "/admin/requests"
PAGE: Final = 50
ROWS_MAX: Final = 1_000_000
"""Requests of a file."""
TEXT_MAX: Final = 200
FIELDS: Final = ("id", "user", "key", "team", "model", "channel", "status", "fault", "from", "to")
FAILED: Final = "failed"
_MOMENTS: Final = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")


class TypedSearch(msgspec.Struct, kw_only=True):
    """A search as it was typed, what it means, and what is wrong with it."""

    given: dict[str, str]
    wanted: RequestFilter = RequestFilter()
    errors: dict[str, LazyText] = {}

    def first(self, name: str) -> str:
        """What was typed into a field, as forms say it."""
        return self.given.get(name, "")


async def _searched(request: Request) -> TypedSearch:
    """The search of an address. Whatever cannot be meant is an error beside its field."""
    asked = request.query_params
    given = {name: asked.get(name, "").strip()[:TEXT_MAX] for name in FIELDS}
    given = {name: value for name, value in given.items() if value}
    if asked.get(FAILED) == "1":
        given[FAILED] = "1"
    errors: dict[str, LazyText] = {}
    values: dict[str, Any] = {
        "request_id": given.get("id", ""),
        "model": given.get("model", ""),
        "channel": given.get("channel", ""),
        "fault": given.get("fault", "").replace(" ", "_"),
        "failed": FAILED in given,
    }
    for name, find in (("user", user_number), ("key", key_number), ("team", _team_id)):
        if name in given:
            try:
                values[f"{name}_id"] = await find(request, given[name])
            except IdentityError:
                errors[name] = text(NOBODY[name])
    if "status" in given:
        values["status"] = statuses(given["status"])
        if values["status"] is None:
            errors["status"] = text(N_("Write a status such as 429, or all of a kind as 4xx."))
    for name, member in (("from", "since_ms"), ("to", "until_ms")):
        if name in given:
            values[member] = moment_ms(given[name])
            if values[member] is None:
                errors[name] = text(NO_MOMENT)
    wanted = RequestFilter() if errors else RequestFilter(**values)
    return TypedSearch(given=given, wanted=wanted, errors=errors)


NO_MOMENT: Final = N_("Write a date and time such as 2026-11-28T09:30.")
NOBODY: Final = {
    "user": N_("Nobody has this name, address or number."),
    "key": N_("No key has this name, hint or number, or more than one has."),
    "team": N_("There is no team of this name."),
}


async def user_number(request: Request, typed: str) -> int:
    """The id of a user by name, address or number. Raises ``IdentityError``."""
    console = context.of(request)
    number = _number(typed)
    if number is not None:
        # whoever is gone has requests all the same
        return number
    return (await console.identity.find_user(typed)).id


async def key_number(request: Request, typed: str) -> int:
    """The id of a key by name, last characters or number. Raises ``IdentityError``."""
    number = _number(typed)
    if number is not None:
        return number
    return (await context.of(request).identity.find_key(typed)).id


async def _team_id(request: Request, typed: str) -> int:
    number = _number(typed)
    if number is not None:
        return number
    return (await context.of(request).teams.find(typed)).id


def _number(typed: str) -> int | None:
    digits = typed.removeprefix("#")
    is_one = digits.isascii() and digits.isdecimal() and len(digits) < 16
    return int(digits) if is_one else None


def statuses(typed: str) -> tuple[int, int] | None:
    """The least and the greatest status of ``429``, ``4xx`` or ``400-499``; ``None``: of none."""
    low, dash, high = typed.lower().partition("-")
    if not dash and len(low) == 3 and low.endswith("xx"):
        low, high = f"{low[0]}00", f"{low[0]}99"
    low, high = low.strip(), (high or low).strip()
    if not all(len(each) == 3 and each.isascii() and each.isdecimal() for each in (low, high)):
        return None
    return (int(low), int(high)) if int(low) <= int(high) else None


def moment_ms(typed: str) -> int | None:
    """Milliseconds since the epoch of a moment in UTC; ``None`` where it is none."""
    for form in _MOMENTS:
        try:
            at = dt.datetime.strptime(typed.removesuffix("Z"), form).replace(tzinfo=dt.UTC)
        except ValueError:
            continue
        return int(at.timestamp() * 1000)
    return None


@session.admin
async def show(request: Request) -> Response:
    """Show the newest requests that fit, or those before a given one."""
    console = context.of(request)
    search = await _searched(request)
    before = request.query_params.get("before")
    found = None
    users: Mapping[int, str] = {}
    keys: Mapping[int, str] = {}
    if not search.errors:
        found = await console.requests.page(search.wanted, before, PAGE)
        users, keys = await console.requests.names(
            (each.user_id for each in found.requests if each.user_id),
            (each.key_id for each in found.requests if each.key_id),
        )
    return render.page(
        request,
        "admin/requests.html",
        status=422 if search.errors else 200,
        form=search,
        found=found,
        user_names=users,
        key_names=keys,
        models=[model.name for model in console.models()],
        channels=[channel.name for channel in console.gateway.channels()],
        query=urlencode(search.given),
        days=console.settings.records.retention_days,
        **render.paging(PATH, search.given, "before", before, found and found.before),
    )


@session.admin
async def one(request: Request) -> Response:
    """Show one request of anybody with everything that its record holds."""
    console = context.of(request)
    found = await console.requests.one(request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    users, keys = await console.requests.names(
        [found.user_id] if found.user_id else [], [found.key_id] if found.key_id else []
    )
    return render.page(
        request,
        "account/request.html",
        found=found,
        key_names=keys,
        user_names=users,
        back=PATH,
        is_own=False,
    )


# --- taken along ----------------------------------------------------------------------------------

COLUMNS: Final[dict[str, Callable[[RequestEntry], Any]]] = {
    "request_id": lambda one: one.request_id,
    "time": lambda one: f"{iso(one.at_ms // 1000)[:-1]}.{one.at_ms % 1000:03}Z",
    "user_id": lambda one: one.user_id,
    "key_id": lambda one: one.key_id,
    "operation": lambda one: one.operation,
    "model": lambda one: one.model,
    "asked_model": lambda one: one.asked_model,
    "channel": lambda one: one.channel,
    "upstream_model": lambda one: one.upstream_model,
    "status": lambda one: one.status,
    "fault": lambda one: one.fault,
    "stream": lambda one: one.stream,
    "attempts": lambda one: one.attempts,
    "first_byte_ms": lambda one: one.first_byte_ms,
    "total_ms": lambda one: one.total_ms,
    "bytes_in": lambda one: one.bytes_in,
    "bytes_out": lambda one: one.bytes_out,
    "input_tokens": lambda one: one.input_tokens,
    "cached_tokens": lambda one: one.cached_tokens,
    "output_tokens": lambda one: one.output_tokens,
    "estimated": lambda one: one.estimated,
    "cost_usd": lambda one: None if one.cost_nanos is None else format_usd(one.cost_nanos),
    "end_user": lambda one: one.end_user,
    "session": lambda one: one.session,
    "tags": lambda one: list(one.tags),
}
"""What a file says of a request."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_encode: Final = msgspec.json.Encoder().encode


def harmless(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula: what callers say stands in it."""
    if isinstance(value, list):
        value = ", ".join(value)
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def csv_line(cells: list[str]) -> str:
    """One line of a file of CSV."""
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def json_line(one: RequestEntry) -> str:
    """One line of a file of JSON."""
    return _encode({name: of(one) for name, of in COLUMNS.items()}).decode() + "\n"


@session.admin
async def export(request: Request) -> Response:
    """Send the requests that fit as a file, as they are read."""
    console = context.of(request)
    search = await _searched(request)
    if search.errors:
        return render.redirect(
            request,
            f"{PATH}?{urlencode(search.given)}",
            N_("Nothing was exported: the search has a mistake."),
            tone="bad",
        )
    kind = request.url.path.rpartition(".")[2]
    wanted = search.wanted
    if wanted.until_ms is None:
        # what comes meanwhile is for another file
        wanted = msgspec.structs.replace(wanted, until_ms=int(console.clock.now() * 1000) + 1)
    rows = console.requests.all(wanted, ROWS_MAX)
    day = iso(console.clock.now())[:10]
    return StreamingResponse(
        _csv(rows) if kind == "csv" else _jsonl(rows),
        media_type="text/csv" if kind == "csv" else "application/x-ndjson",
        headers={"content-disposition": f'attachment; filename="requests-{day}.{kind}"'},
    )


async def _csv(rows: AsyncIterator[RequestEntry]) -> AsyncIterator[str]:
    yield csv_line([*COLUMNS])
    async for one in rows:
        yield csv_line([harmless(of(one)) for of in COLUMNS.values()])


async def _jsonl(rows: AsyncIterator[RequestEntry]) -> AsyncIterator[str]:
    async for one in rows:
        yield json_line(one)


PAGES: Final = (
    Route(PATH, show),
    Route(f"{PATH}.csv", export),
    Route(f"{PATH}.jsonl", export),
    Route(f"{PATH}/{{id}}", one),
)
