"""``POST /api/oauth2/spend_key``: an access token into a key of the gateway."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer, token
from trivium.console.api.answer import Endpoint
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens import request as asking

PATH: Final = "/api/oauth2/spend_key"


@answer.endpoint("auth")
async def spend_key(request: Request) -> Response:
    """A key that ends with the token. The application proves who it is as at the token endpoint:
    a token that somebody found is not enough to spend with.
    """
    console = context.of(request)
    try:
        app, fields = await token.client(request)
        key = await console.oauth.spending.issue(
            app, asking.access_token(fields), answer.sender(request)
        )
    except OAuthError as error:
        return token.refused(error)
    return answer.json(key.body(int(console.clock.now()), console.api_origin))


ENDPOINTS: Final = (Endpoint(PATH, spend_key, methods=["POST"]),)
