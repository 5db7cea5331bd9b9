"""``GET /api/oauth2/authorize``: where an application sends its user.

Everything about the request is checked here; what passed is kept under a random id, and the browser
goes on to our own pages with that id alone. Nothing of the application's travels through them.

Beside it is the document that says where everything is (RFC 8414).
"""

from typing import Final

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from trivium.console import context, session
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.console.consent.refusal import refused, too_many
from trivium.oauth import scope
from trivium.oauth.consent import request as asking
from trivium.oauth.consent.model import AuthorizationRequest
from trivium.oauth.errors import AuthorizationRefused, SentBack
from trivium.oauth.tokens.request import FORM
from trivium.storage.errors import StorageError


@answer.endpoint("auth")
async def document(request: Request) -> Response:
    """Answer with the metadata document of RFC 8414."""
    oauth = context.of(request).oauth
    return answer.json(scope.document(oauth.addresses.auth, spend=oauth.rules.spend))


PATH: Final = "/api/oauth2/authorize"
PAGE: Final = "/authorize"
FORM_BYTES_MAX: Final = 16_384

log = structlog.get_logger()


async def authorize(request: Request) -> Response:
    """On to our pages, back to the application, or a page that says what is wrong."""
    answer.check_host(request, "auth")
    if request.method == "HEAD":
        raise HTTPException(405, headers={"Allow": "GET, POST"})
    wait = await _wait(request)
    if wait is not None:
        return too_many(request, wait)
    try:
        asked = await _asked(request)
    except AuthorizationRefused as error:
        return refused(request, error.reason)
    except SentBack as error:
        return RedirectResponse(error.location, 303)
    return RedirectResponse(await _begun(request, asked), 303)


async def _wait(request: Request) -> int | None:
    """Return the seconds to wait; ``None``: go on.

    Whoever is logged in is counted apart from the others behind the same address, once those have
    used it up.
    """
    authorizations = context.of(request).oauth.authorizations
    wait = await authorizations.take(answer.network(request))
    if wait is None or (found := await session.current(request)) is None:
        return wait
    return await authorizations.take(f"user:{found.user.id}")


async def _asked(request: Request) -> AuthorizationRequest:
    """Return the checked request. Raises Refused, SentBack and HTTPException, and what the database
    raises when the application cannot be looked up.
    """
    oauth = context.of(request).oauth
    given = asking.parameters(request.scope["query_string"])
    if request.method == "POST":
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != FORM:
            raise HTTPException(415)
        body = await request.body()
        if len(body) > FORM_BYTES_MAX:
            raise HTTPException(413)
        given = [*given, *asking.parameters(body)]
    app = await oauth.apps.find(asking.client_id(given))
    return asking.check(
        given,
        app,
        strict_state=oauth.rules.strict_state,
        issuer=oauth.addresses.auth,
        spend=oauth.rules.spend,
    )


async def _begun(request: Request, asked: AuthorizationRequest) -> str:
    """Where the browser goes on: no failure of ours from here on leaves the application waiting."""
    consents = context.of(request).oauth.consents
    try:
        return f"{PAGE}/{await consents.begin(asked)}"
    except StorageError as error:
        log.warning("oauth_without_database", error=str(error))
        return consents.failed(asked, "temporarily_unavailable", "please try again soon")
    except Exception:
        log.exception("oauth_failed", request_id=request.scope["state"]["request_id"])
        return consents.failed(asked, "server_error", "something went wrong on our side")


ENDPOINTS: Final = (
    Endpoint(PATH, authorize, methods=["GET", "POST"]),
    Endpoint(scope.PATH, document, methods=["GET"]),
)
