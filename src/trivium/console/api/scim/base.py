"""Common code of the routes of SCIM: whose token it is, how requests are read and answered.

Errors are SCIM's own (RFC 7644, section 3.12). Whoever has no token learns nothing, not even what
there is to be asked for.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.console.context import Console
from trivium.identity.revocation import ActLog
from trivium.identity.scim.filters import Filter, read_filter
from trivium.identity.scim.model import ERROR_URN, PAGE_MAX, ScimDirectory, ScimError
from trivium.identity.scim.resources import chosen, number_of
from trivium.observe.audit.model import ActKind, Detail
from trivium.storage.database import Connection
from trivium.storage.errors import StorageError

PREFIX: Final = "/scim/v2"
BODY_BYTES_MAX: Final = 1_048_576
MEDIA_TYPE: Final = "application/scim+json"
TYPES: Final = frozenset({MEDIA_TYPE, "application/json"})
START_MAX: Final = 2**31
NAMES_MAX: Final = 50
"""Attributes that are asked for by name."""

log = structlog.get_logger()


class ScimRequest(msgspec.Struct, frozen=True):
    """A request of a directory."""

    request: Request
    directory: ScimDirectory

    @property
    def console(self) -> Console:
        """The services that pages and this interface share."""
        return context.of(self.request)

    @property
    def base(self) -> str:
        """How the outside sees this interface; never taken from ``Host``."""
        return self.console.origin + PREFIX

    async def log_act(
        self,
        conn: Connection,
        kind: ActKind,
        subject: int | None,
        what: str = "",
        detail: Detail | None = None,
    ) -> None:
        """Log what this directory does, with its token, in the transaction that does it."""
        sender = answer.sender(self.request)
        log_of = ActLog(self.console.audit, None, sender.address, sender.agent)
        told = {**(detail or {}), "scim_token": self.directory.token_id}
        await log_of.within(conn, kind, subject, what, told)

    @property
    def number(self) -> int | None:
        """The id in the path; ``None`` for a text that can be none."""
        return number_of(self.request.path_params["id"])

    async def body(self) -> dict[str, Any]:
        """What was sent. Raises ``ScimError``."""
        said = self.request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if said not in TYPES:
            raise ScimError(415, f"the body must be {MEDIA_TYPE}")
        raw = await self.request.body()
        if len(raw) > BODY_BYTES_MAX:
            raise ScimError(413, f"the body has more than {BODY_BYTES_MAX} bytes", "tooMany")
        try:
            found = msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ScimError(400, f"the body is no JSON: {error}"[:300], "invalidSyntax") from None
        if not isinstance(found, dict):
            raise ScimError(400, "the body is no object", "invalidSyntax")
        return found

    def filter(self) -> Filter | None:
        """What is searched; ``None``: everything. Raises ``ScimError`` (invalidFilter)."""
        text = self.request.query_params.get("filter", "").strip()
        return read_filter(text) if text else None

    def window(self) -> tuple[int, int]:
        """Where a page begins, from 1, and how long it is. Raises ``ScimError`` (invalidValue)."""
        start = min(max(self._whole("startIndex", 1), 1), START_MAX)
        return start, min(max(self._whole("count", PAGE_MAX), 0), PAGE_MAX)

    def _whole(self, name: str, otherwise: int) -> int:
        text = self.request.query_params.get(name, "")
        digits = text.removeprefix("-")
        if not text:
            return otherwise
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(START_MAX))):
            raise ScimError(400, f"{name}: is a whole number", "invalidValue")
        return int(text)

    def names(self, parameter: str) -> frozenset[str]:
        """The attributes that a parameter names, in lower case. Raises ``ScimError``."""
        text = self.request.query_params.get(parameter, "")
        found = [name.strip().lower().rpartition(":")[2] for name in text.split(",", NAMES_MAX)]
        if len(found) > NAMES_MAX:
            raise ScimError(400, f"{parameter}: names more than {NAMES_MAX}", "invalidValue")
        return frozenset(found) - {""}

    def shown(self, resource: dict[str, Any]) -> dict[str, Any]:
        """A resource with the attributes that were asked for. Raises ``ScimError``."""
        return chosen(resource, self.names("attributes"), self.names("excludedAttributes"))

    def wants(self, attribute: str) -> bool:
        """Whether an attribute, in lower case, is to be looked up at all."""
        only, without = self.names("attributes"), self.names("excludedAttributes")
        asked = not only or any(name.partition(".")[0] == attribute for name in only)
        return asked and attribute not in without

    def check_version(self, resource: dict[str, Any]) -> None:
        """Raise ``ScimError`` (412) for a resource that is not the one that the caller has read."""
        wanted = self.request.headers.get("if-match")
        if wanted and not _has_tag(wanted, resource["meta"]["version"]):
            raise ScimError(412, "the resource has changed since it was read")

    def one(self, resource: dict[str, Any], status: int = 200) -> Response:
        """Answer with one resource, or that the caller has it already."""
        version = resource["meta"]["version"]
        headers = {"etag": version, "location": resource["meta"]["location"]}
        known = self.request.headers.get("if-none-match")
        if known and self.request.method in ("GET", "HEAD") and _has_tag(known, version):
            return Response(None, 304, headers={**answer.NOT_STORED, **headers})
        return said(self.shown(resource), status, headers)


Act = Callable[[ScimRequest], Awaitable[Response]]


def route(path: str, **acts: Act) -> Endpoint:
    """A path of the interface, behind ``/scim/v2``, with its methods."""

    async def served(request: Request) -> Response:
        act = acts.get("GET" if request.method == "HEAD" else request.method, _not_taken)
        try:
            asked = ScimRequest(request, await _directory(request))
            asked.wants("")  # names of attributes are read even where nothing is found
            return await act(asked)
        except ScimError as error:
            return _refused(error, ", ".join(acts))
        except StorageError as error:
            log.warning("scim_without_database", error=str(error))
            return _refused(
                ScimError(503, "the database cannot be reached; please try again", "", 30)
            )
        except Exception:
            log.exception("scim_failed", request_id=request.scope["state"]["request_id"])
            return _refused(ScimError(500, "something went wrong on our side"))

    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return Endpoint(PREFIX + path, served, methods=methods)


async def _not_taken(asked: ScimRequest) -> Response:
    raise ScimError(405, f"this path does not take {asked.request.method}")


async def _directory(request: Request) -> ScimDirectory:
    """Whose token was presented. Raises ``ScimError`` (401, 429)."""
    console = context.of(request)
    failures, where = console.oauth.failures, answer.network(request)
    wait = await failures.wait(where)
    if wait is not None:
        raise ScimError(429, "too many tokens that are not valid", "", wait)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    found = None
    if scheme.lower() == "bearer":
        found = await console.scim.tokens.authenticate(token.strip())
    if found is None:
        if token:
            await failures.count(where)
        raise ScimError(401, "send a token of a directory as: Authorization: Bearer gwscim_...")
    return found


def said(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return JSON of SCIM, which no cache may store."""
    whole = {**answer.NOT_STORED, **(headers or {}), "content-type": f"{MEDIA_TYPE};charset=UTF-8"}
    return Response(msgspec.json.encode(body), status, headers=whole)


def _refused(error: ScimError, methods: str = "") -> Response:
    body = {"schemas": [ERROR_URN], "status": str(error.status), "detail": str(error)}
    if error.scim_type:
        body["scimType"] = error.scim_type
    headers = {}
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    if error.status == 405:
        headers["allow"] = methods
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    return said(body, error.status, headers)


def _has_tag(header: str, version: str) -> bool:
    bare = version.removeprefix("W/")
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",", NAMES_MAX)]
    return bare in tags or "*" in tags
