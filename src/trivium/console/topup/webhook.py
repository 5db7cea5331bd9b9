"""Where payment providers send their events. The signature is all the authentication there is."""

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from trivium.console import context
from trivium.ledger.payments.model import PaymentError, Refusal

_STATUS: Final = {Refusal.NOT_CONFIGURED: 404, Refusal.FORGED: 400}


async def hear(request: Request) -> Response:
    """Book what an event says. Any 2xx tells the provider not to send it again."""
    body = await request.body()
    payments = context.of(request).payments
    try:
        outcome = await payments.hear(
            request.path_params["provider"], body, dict(request.headers.items())
        )
    except PaymentError as error:
        status = _STATUS.get(error.why, 503)
        return JSONResponse({"error": error.why.value}, status_code=status)
    return JSONResponse({"outcome": outcome.value})


ENDPOINTS: Final = (Route("/webhooks/{provider:str}", hear, methods=["POST"]),)
