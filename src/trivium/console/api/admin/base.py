"""Common code of the admin API: who may ask, how requests are read, and how they are answered.

What a path takes stands in its ``ApiMethod``. A member of a body or a parameter of a query that is
not named there is refused, and so is one that is there twice.
"""

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import ApiError, Endpoint
from trivium.console.context import Console
from trivium.identity.directory import ID_MAX
from trivium.identity.errors import IdentityError, KeptError, TakenError
from trivium.identity.revocation import ActLog
from trivium.ledger.amounts import parse_usd
from trivium.ledger.errors import LedgerError
from trivium.oauth.admin.model import Machine, words
from trivium.oauth.admin.routes import is_known, needed
from trivium.oauth.credential import CredentialKind
from trivium.oauth.developer.model import ADMIN, TEAMS
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens import service
from trivium.oauth.workload.claims import ClaimsRefused, looks_signed
from trivium.settings.workloads import AdminScope
from trivium.storage.errors import StorageError
from trivium.wire import peek

BODY_BYTES_MAX: Final = 131_072
_ID_CHARS_MAX: Final = len(str(ID_MAX))

log = structlog.get_logger()


class ApiBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The members of a request's body. An unknown member is refused."""


class AdminRequest(msgspec.Struct, frozen=True):
    """A request of an administrator, checked and read."""

    request: Request
    by: int | None
    """Who asks: the id of an administrator, or, for teams, of anybody; ``None``: a machine."""
    query: Mapping[str, str]
    body: Any
    """Of the type that the act names; ``None`` where it takes none."""
    is_admin: bool = True
    """Whether the token is for administration: an administrator's, or a machine's."""
    machine: Machine | None = None
    """Whose scopes bound what may be done; ``None``: a person's token, which has none."""

    @property
    def console(self) -> Console:
        """The services that pages and this API share."""
        return context.of(self.request)

    def number(self, name: str) -> int:
        """An id in the path. Raises Refusal (404)."""
        found = whole(self.request.path_params[name])
        if found is None:
            raise ApiError(404, f"there is no {name} of this id")
        return found

    @property
    def log(self) -> ActLog:
        """The audit log for what this administrator does."""
        sender, machine = answer.sender(self.request), self.machine
        actor, name = (self.by, "") if machine is None else (machine.user_id, machine.name)
        return ActLog(self.console.audit, actor, sender.address, sender.agent, name)

    def check_scope(self, scope: AdminScope, what: str) -> None:
        """Raise ScopeError unless whoever asks may do this besides what the route needs."""
        if self.machine is not None and scope not in self.machine.scopes:
            raise ScopeError(scope, self.machine, f"{what}: ")

    def check_person(self, what: str) -> None:
        """Raise ApiError (403) for a machine, whatever its scopes are."""
        if self.machine is not None:
            raise ApiError(403, f"{what}: an administrator does that, not a token for machines")


class ApiMethod(msgspec.Struct, frozen=True):
    """What a method of a path does: what it is given, and what it answers as ``data``."""

    do: Callable[[AdminRequest], Awaitable[Any]]
    body: type[ApiBody] | None = None
    query: frozenset[str] = frozenset()


class Asker(NamedTuple):
    """Whose token was presented, and whether it is for administration."""

    by: int | None
    is_admin: bool
    machine: Machine | None = None


class ScopeError(ApiError):
    """A token lacks the scope for what was asked."""

    def __init__(self, scope: AdminScope, machine: Machine, what: str = "") -> None:
        has = words(machine.scopes)
        log.warning("admin_scope_lacking", machine=machine.name, needed=scope.value, has=has)
        super().__init__(403, f"{what}this needs the scope {scope.value}; the token has {has}")
        self.scope: Final = scope


def resource(path: str, *, for_members: bool = False, **acts: ApiMethod) -> Endpoint:
    """A path of the API with its methods. ``for_members``: also for whoever is no administrator and
    has a token for teams; what they may do is the method's own business.
    """

    async def served(request: Request) -> Response:
        act = acts["GET" if request.method == "HEAD" else request.method]
        try:
            asker = await _asker(request, for_members=for_members)
            _check_route(request, path, asker)
            query, body = _query(request, act.query), await _body(request, act.body)
            asked = AdminRequest(request, asker.by, query, body, asker.is_admin, asker.machine)
            return answer.enveloped(200, "", await act.do(asked))
        except (ApiError, IdentityError, LedgerError) as error:
            return _refused(error)
        except StorageError as error:
            log.warning("admin_api_without_database", error=str(error))
            return answer.enveloped(503, "the database cannot be reached; please try again soon")
        except Exception:
            log.exception("admin_api_failed", request_id=request.scope["state"]["request_id"])
            return answer.enveloped(500, "something went wrong on our side")

    return Endpoint(path, served, methods=list(acts))


def whole(digits: str) -> int | None:
    """A number from 0 to the largest id that is written in ASCII digits; ``None``: another text."""
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _ID_CHARS_MAX):
        return None
    number = int(digits)
    return number if number <= ID_MAX else None


def usd(member: str, text: str) -> int:
    """Nano-dollars of a member. Raises Refusal (400)."""
    try:
        return parse_usd(text)
    except LedgerError as error:
        raise ApiError(400, f"{member}: {error}") from None


async def _asker(request: Request, *, for_members: bool) -> Asker:
    """The administrator whose token for this API was presented, or a member. Raises ApiError."""
    oauth = context.of(request).oauth
    where = answer.network(request)
    wait = await oauth.failures.wait(where)
    if wait is not None:
        raise ApiError(429, "too many tokens that are not valid", wait)
    try:
        return await _machine(request) or await _presented(request, for_members=for_members)
    except OAuthError as error:
        is_more = isinstance(error.__cause__, ClaimsRefused)
        why = str(error.__cause__) if is_more else error.description
        log.warning("admin_token_refused", why=why, address=where)
        if error.status in (403, 503):
            raise ApiError(error.status, error.description, error.retry_after) from None
        await oauth.failures.count(where)
        raise ApiError(401, error.description) from None


async def _machine(request: Request) -> Asker | None:
    """The machine whose token was presented; ``None``: it is of another kind. Raises OAuthError."""
    oauth = context.of(request).oauth
    try:
        presented = service.presented(request.headers.getlist("authorization"), b"")
    except service.NoToken:
        return None
    if presented.startswith(CredentialKind.ADMIN_TOKEN.value):
        machine = await oauth.machines.authenticate(presented)
    elif looks_signed(presented):
        machine = await oauth.workloads.authenticate(presented)
    else:
        return None
    return Asker(None, is_admin=True, machine=machine)


def _check_route(request: Request, path: str, asker: Asker) -> None:
    """Raise ScopeError for a machine whose token lacks what the route needs."""
    if asker.machine is None:
        return
    method = "GET" if request.method == "HEAD" else request.method
    if not is_known(method, path):
        raise ApiError(403, "this is open to administrators' own tokens alone")
    scope = needed(method, path)
    if scope is not None and scope not in asker.machine.scopes:
        raise ScopeError(scope, asker.machine)


async def _presented(request: Request, *, for_members: bool) -> Asker:
    purpose = " for teams or for administration" if for_members else " for administration"
    if for_members:
        try:
            return Asker(await answer.developer(request, TEAMS, purpose), is_admin=False)
        except OAuthError as error:
            if error.code != "insufficient_scope":
                raise
    return Asker(await answer.developer(request, ADMIN, purpose), is_admin=True)


def _query(request: Request, known: frozenset[str]) -> dict[str, str]:
    """The parameters of the address. Raises Refusal (400)."""
    found: dict[str, str] = {}
    text = request.scope["query_string"].decode("latin-1")
    for name, value in parse_qsl(text, keep_blank_values=True):
        if name not in known:
            raise ApiError(400, f"there is no parameter `{name[:80]}` here")
        if name in found:
            raise ApiError(400, f"the parameter `{name}` occurs twice")
        found[name] = value
    return found


async def _body(request: Request, kind: type[ApiBody] | None) -> ApiBody | None:
    """What was sent. Raises Refusal."""
    if kind is None:
        if await request.body():
            raise ApiError(400, "this request takes no body")
        return None
    found = await answer.json_body(request, _decoder(kind).decode, BODY_BYTES_MAX)
    _check_names(await request.body())
    return found


@functools.lru_cache(maxsize=32)
def _decoder(kind: type[ApiBody]) -> "msgspec.json.Decoder[ApiBody]":
    return msgspec.json.Decoder(kind)


_items: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def _check_names(raw: bytes) -> None:
    """Refuse two members with one name, of which one would be ignored. Raises Refusal (400)."""
    raw = raw.strip()
    if raw.startswith(b"["):
        for item in _items(raw):
            _check_names(bytes(item))
    elif raw.startswith(b"{"):
        seen: set[str] = set()
        for name, value in peek.members(raw).pairs:
            if name in seen:
                raise ApiError(400, f"`{name[:80]}` occurs twice in the body")
            seen.add(name)
            _check_names(bytes(value))


def _refused(error: ApiError | IdentityError | LedgerError) -> Response:
    wait = error.retry_after if isinstance(error, ApiError) else None
    made = answer.failed(_status(error), str(error), wait)
    if isinstance(error, ScopeError):
        challenge = f'Bearer error="insufficient_scope", scope="{error.scope.value}"'
        made.headers["www-authenticate"] = challenge
    return made


def _status(error: ApiError | IdentityError | LedgerError) -> int:
    if isinstance(error, ApiError):
        return error.status
    if isinstance(error, TakenError | KeptError):
        return 409
    is_gone = isinstance(error, IdentityError) and error.field in ("user", "key", "team")
    return 404 if is_gone else 400
