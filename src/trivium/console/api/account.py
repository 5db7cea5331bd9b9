"""``GET /api/oauth2/userinfo`` and ``/topup``: what an access token opens."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.oauth.errors import OAuthError
from trivium.oauth.scope import PROFILE
from trivium.oauth.service import OAuth
from trivium.oauth.tokens import service
from trivium.oauth.tokens.model import Access
from trivium.oauth.tokens.request import FORM


@answer.endpoint("auth")
async def userinfo(request: Request) -> Response:
    """Answer with the members of the user's account that the token's scopes allow."""

    async def told(oauth: OAuth, access: Access) -> Any:
        return await oauth.userinfo(access)

    return await _opened(request, told)


@answer.endpoint("auth")
async def topup(request: Request) -> Response:
    """The address of the top-up page, which logs nobody in."""

    async def told(oauth: OAuth, access: Access) -> Any:
        return {"topup_url": oauth.topup_url(access)}

    return await _opened(request, told)


async def _opened(request: Request, told: Any) -> Response:
    oauth = context.of(request).oauth
    try:
        presented = service.presented(
            request.headers.getlist("authorization"),
            request.scope["query_string"],
            await _form(request),
        )
        body = await told(oauth, await oauth.tokens.access(presented))
    except service.NoToken:
        headers = {"www-authenticate": service.challenge()}
        return answer.json({"error": "unauthorized"}, 401, headers)
    except OAuthError as error:
        needed = PROFILE if error.code == "insufficient_scope" else ""
        headers = {"www-authenticate": service.challenge(error, needed)}
        return answer.refused(error, headers)
    return answer.json(body)


async def _form(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return await request.body() if kind == FORM else b""


ENDPOINTS: Final = (
    Endpoint("/api/oauth2/userinfo", userinfo, methods=["GET"]),
    Endpoint("/api/oauth2/topup", topup, methods=["GET"]),
)
