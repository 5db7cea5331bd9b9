"""``GET /.well-known/oauth-authorization-server``: where everything is (RFC 8414)."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.oauth import scope


@answer.endpoint("auth")
async def document(request: Request) -> Response:
    """Answer with the metadata document of RFC 8414."""
    oauth = context.of(request).oauth
    return answer.json(scope.document(oauth.addresses.auth, spend=oauth.rules.spend))


ENDPOINTS: Final = (Endpoint(scope.PATH, document, methods=["GET"]),)
