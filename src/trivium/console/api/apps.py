"""``POST /api/oauth_apps``: registers an application with a developer token."""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.oauth.developer.model import WRITE_APPS
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.oauth.tokens import service

BODY_BYTES_MAX: Final = 16_384
HOUR_S: Final = 3600
_STATUS: Final = {"user": 403, "limit": 403, "rate": 429}
_CHALLENGE: Final = {"www-authenticate": "Bearer"}


class Registration(msgspec.Struct, frozen=True):
    """The body of a registration. Unknown members are ignored."""

    name: str
    redirect_uri: str
    description: str = ""


_read = msgspec.json.Decoder(Registration).decode


class _Refused(Exception):  # noqa: N818 - an answer, not a failure of ours
    """An error to be answered."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@answer.endpoint("api")
async def create(request: Request) -> Response:
    """Register an application; answers with it and its secret, which is shown only now."""
    apps = context.of(request).oauth.apps
    try:
        user_id = await _developer(request)
        wanted = await _wanted(request)
        app, secret = await apps.create(
            user_id, wanted.name, wanted.description, wanted.redirect_uri, answer.sender(request)
        )
    except RegistrationError as error:
        return _failed(_STATUS.get(error.field, 400), str(error))
    except _Refused as error:
        return _failed(error.status, str(error))
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


async def _developer(request: Request) -> int:
    """Whose developer token was presented. Raises _Refused."""
    try:
        presented = service.presented(request.headers.getlist("authorization"), b"")
        token = await context.of(request).oauth.developer.authenticate(presented, WRITE_APPS)
    except service.NoToken:
        raise _Refused(401, "send a developer token as: Authorization: Bearer gwdev_...") from None
    except OAuthError as error:
        raise _Refused(403 if error.status == 403 else 401, error.description) from None
    return token.user_id


async def _wanted(request: Request) -> Registration:
    """What is to be registered. Raises _Refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise _Refused(415, "the body must be application/json")
    body = await request.body()
    if len(body) > BODY_BYTES_MAX:
        raise _Refused(413, f"the body has more than {BODY_BYTES_MAX} bytes")
    try:
        return _read(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _Refused(400, str(error)) from None


def _failed(status: int, message: str) -> Response:
    made = answer.enveloped(status, message)
    if status == 401:
        made.headers.update(_CHALLENGE)
    if status == 429:
        made.headers["retry-after"] = str(HOUR_S)
    return made


ENDPOINTS: Final = (Endpoint("/api/oauth_apps", create, methods=["POST"]),)
