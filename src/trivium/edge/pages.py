"""The pages plane: an ordinary ASGI application for everything that is not relayed."""

import hmac
from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from trivium.edge import openapi
from trivium.edge.readiness import Readiness
from trivium.faults import Fault, Kind
from trivium.observe.metrics.text import CONTENT_TYPE
from trivium.wire import errors


def build(
    *,
    public_url: str | None,
    auth_url: str | None = None,
    api_url: str | None = None,
    readiness: Callable[[], Awaitable[Readiness]],
    routes: Sequence[BaseRoute] = (),
    metrics: Callable[[], str] | None = None,
    metrics_token: str = "",
) -> Starlette:
    """The application. The three addresses are those of the settings. ``readiness`` names each
    part that requests use and whether it is there; ``routes`` are those of the pages for people.

    ``metrics`` gives the text for Prometheus, to whoever has the token; without one, to anybody.
    ``None``: there is none.
    """

    async def healthz(_: Request) -> Response:
        """The process runs and its loop turns."""
        return JSONResponse({"status": "ok"})

    async def readyz(_: Request) -> Response:
        """Whether a priced call can be answered now; 503 when not. Names what is missing."""
        found = await readiness()
        told = {"status": found.status, "parts": found.parts}
        return JSONResponse(told, status_code=503 if found.status == "unavailable" else 200)

    async def description(_: Request) -> Response:
        """Our own OpenAPI description of exactly what is served."""
        return Response(
            openapi.document(public_url, auth_url, api_url), media_type="application/json"
        )

    async def numbers(request: Request) -> Response:
        """Numbers of all workers, for Prometheus."""
        if metrics is None:
            return _refused(request, Fault(Kind.PATH_UNKNOWN, "Metrics are not switched on here."))
        presented = request.headers.get("authorization", "")
        if metrics_token and not _is_token(presented, metrics_token):
            return _refused(
                request, Fault(Kind.KEY_UNKNOWN, "Present the token of the metrics, as a Bearer.")
            )
        return Response(metrics(), media_type=CONTENT_TYPE)

    async def failed(request: Request, _: Exception) -> Response:
        """Our error body for what nobody planned; whoever serves the exchange logs it."""
        body = errors.body(errors.internal(), request.state.request_id)
        return Response(body, 500, media_type="application/json")

    return Starlette(
        exception_handlers={Exception: failed},
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/openapi.json", description),
            Route("/metrics", numbers),
            *routes,
        ],
    )


def _is_token(header: str, token: str) -> bool:
    scheme, _, presented = header.partition(" ")
    same = hmac.compare_digest(presented.strip().encode(), token.encode())
    return same and scheme.lower() == "bearer"


def _refused(request: Request, fault: Fault) -> Response:
    headers = {name.decode(): value.decode() for name, value in errors.headers(fault)}
    body = errors.body(fault, request.state.request_id)
    return Response(body, fault.status, headers, media_type="application/json")
