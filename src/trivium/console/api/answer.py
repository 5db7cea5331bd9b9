"""What the OAuth endpoints have in common: their host, their errors, their headers."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar

import msgspec
import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from trivium.console import context
from trivium.console.language import speech_tag
from trivium.console.session import Handler
from trivium.identity.accounts.throttle_policy import network_of
from trivium.oauth.errors import OAuthError
from trivium.oauth.part import RequestOrigin
from trivium.oauth.tokens import service
from trivium.storage.errors import StorageError


class Endpoint(Route):
    """Answers 405 to methods it does not take; of a plain route the pages would say 404."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match by the path alone, whatever the method is."""
        match, child = super().matches(scope)
        return (Match.FULL if match is Match.PARTIAL else match), child


JSON: Final = "application/json;charset=UTF-8"
NOT_STORED: Final = {"cache-control": "no-store", "pragma": "no-cache"}

Origin = Literal["auth", "api"]
T = TypeVar("T")

log = structlog.get_logger()


def json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response that no cache may store."""
    said = {**NOT_STORED, **(headers or {}), "content-type": JSON}
    return Response(msgspec.json.encode(body), status, headers=said)


def enveloped(status: int, message: str, data: Any = None) -> Response:
    """An answer of the interfaces that developer tokens open: ``message`` says what was wrong."""
    return json({"success": status == 200, "message": message, "data": data}, status)


def refused(error: OAuthError, headers: Mapping[str, str] | None = None) -> Response:
    """An error as RFC 6749 section 5.2 has it."""
    said = dict(headers or {})
    if error.retry_after is not None:
        said["retry-after"] = str(error.retry_after)
    body = {"error": error.code, "error_description": error.description}
    return json(body, error.status, said)


class ApiError(Exception):
    """An error to be answered. ``retry_after``: seconds; ``None`` where waiting does not help."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


def failed(status: int, message: str, retry_after: int | None = None) -> Response:
    """An error of the interfaces that developer tokens open."""
    made = enveloped(status, message)
    if status == 401:
        made.headers["www-authenticate"] = "Bearer"
    if retry_after is not None:
        made.headers["retry-after"] = str(retry_after)
    return made


async def developer(request: Request, permission: str, purpose: str = "") -> int:
    """Whose developer token was presented. Raises OAuthError, and ApiError when there is none."""
    try:
        presented = service.presented(request.headers.getlist("authorization"), b"")
    except service.NoToken:
        message = f"send a developer token{purpose} as: Authorization: Bearer gwdev_..."
        raise ApiError(401, message) from None
    token = await context.of(request).oauth.developer.authenticate(presented, permission)
    return token.user_id


async def json_body(request: Request, read: Callable[[bytes], T], bytes_max: int) -> T:
    """What was sent, as ``read`` has it. Raises ApiError."""
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said != "application/json":
        raise ApiError(415, "the body must be application/json")
    body = await request.body()
    if len(body) > bytes_max:
        raise ApiError(413, f"the body has more than {bytes_max} bytes")
    try:
        return read(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError(400, str(error)) from None


def endpoint(origin: Origin) -> Callable[[Handler], Handler]:
    """An endpoint of one of our origins: where the settings name several hosts, it is not found on
    another. What we fail at is told as ``server_error``.
    """

    def wrap(handler: Handler) -> Handler:
        @functools.wraps(handler)
        async def served(request: Request) -> Response:
            check_host(request, origin)
            try:
                return await handler(request)
            except HTTPException:
                raise
            except StorageError as error:
                log.warning("oauth_without_database", error=str(error))
                return json({"error": "server_error"}, 503)
            except Exception:
                log.exception("oauth_failed", request_id=request.scope["state"]["request_id"])
                return json({"error": "server_error"}, 500)

        return served

    return wrap


def check_host(request: Request, origin: Origin) -> None:
    """Raises HTTPException (404) on another host than the endpoint's own, and everywhere while the
    settings name an origin whose answers others could read on their way.
    """
    addresses = context.of(request).oauth.addresses
    own = addresses.auth if origin == "auth" else addresses.api
    if not addresses.is_safe or not addresses.serves(own, request.headers.get("host", "")):
        raise HTTPException(404)


def address_of(request: Request) -> str:
    """Where a request came from; empty when nobody can tell."""
    return request.client.host if request.client else ""


def network(request: Request) -> str:
    """Where a request came from, as it is limited."""
    return network_of(address_of(request))


def sender(request: Request) -> RequestOrigin:
    """Who sent a request, for the audit log and for letters."""
    return RequestOrigin(
        address=address_of(request),
        agent=request.headers.get("user-agent", ""),
        language=speech_tag(request.cookies, request.headers).partition("-")[0],
    )
