"""The headers of every page: nothing is stored, framed, guessed or fetched from elsewhere."""

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'{more}; frame-ancestors 'none'; base-uri 'none'"
)
HSTS_S: Final = 31_536_000
STRICT: Final = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


def policy(form_origins: Sequence[str] = ()) -> str:
    """The content security policy. ``form_origins``: where a form of this page may lead besides
    ourselves; browsers apply it to redirects after the form as well.
    """
    return _POLICY.format(more="".join(f" {origin}" for origin in form_origins))


class StrictHeaders:
    """Adds the headers to every answer that does not carry them already."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._defaults: dict[str, str] = STRICT | {"content-security-policy": policy()}
        if https:
            self._defaults["strict-transport-security"] = f"max-age={HSTS_S}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the headers."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._defaults.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)
