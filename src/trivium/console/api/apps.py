"""``POST /api/oauth_apps``: registers an application with a developer token."""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import ApiError, Endpoint
from trivium.oauth.developer.model import WRITE_APPS
from trivium.oauth.errors import OAuthError, RegistrationError

BODY_BYTES_MAX: Final = 16_384
HOUR_S: Final = 3600
_STATUS: Final = {"user": 403, "limit": 403, "rate": 429}


class Registration(msgspec.Struct, frozen=True):
    """The body of a registration. Unknown members are ignored."""

    name: str
    redirect_uri: str
    description: str = ""


_read = msgspec.json.Decoder(Registration).decode


@answer.endpoint("api")
async def create(request: Request) -> Response:
    """Register an application; answers with it and its secret, which is shown only now."""
    apps = context.of(request).oauth.apps
    try:
        user_id = await answer.developer(request, WRITE_APPS)
        wanted = await answer.json_body(request, _read, BODY_BYTES_MAX)
        app, secret = await apps.create(
            user_id, wanted.name, wanted.description, wanted.redirect_uri, answer.sender(request)
        )
    except RegistrationError as error:
        status = _STATUS.get(error.field, 400)
        return answer.failed(status, str(error), HOUR_S if status == 429 else None)
    except OAuthError as error:
        return answer.failed(403 if error.status == 403 else 401, error.description)
    except ApiError as error:
        return answer.failed(error.status, str(error))
    return answer.enveloped(
        200,
        "",
        {
            "id": app.id,
            "name": app.name,
            "client_id": app.client_id,
            "client_secret": secret,
            "redirect_uri": app.redirect_uri,
            "created_time": app.created_at,
        },
    )


ENDPOINTS: Final = (Endpoint("/api/oauth_apps", create, methods=["POST"]),)
