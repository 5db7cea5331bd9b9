"""Pages that say why an application cannot be let in. They never lead to where it pointed."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import render
from trivium.console.language import N_
from trivium.oauth.errors import Reason

TITLE: Final = N_("This application cannot be opened")
_TEXTS: Final = {
    Reason.REPEATED: N_("The application's request says the same thing twice."),
    Reason.APP_MISSING: N_("The request does not say which application it comes from."),
    Reason.APP_UNKNOWN: N_("No application of that client id is registered here."),
    Reason.APP_SUSPENDED: N_("This application is suspended."),
    Reason.REDIRECT_MISSING: N_("The request does not say where to go afterwards."),
    Reason.REDIRECT_UNKNOWN: N_(
        "The address to go to afterwards is not the one registered for this application. "
        "You were not sent there."
    ),
    Reason.REQUEST_UNKNOWN: N_(
        "The request is too old, was answered already, or belongs to another account. "
        "Start again from the application."
    ),
}
_TOO_MANY_TITLE: Final = N_("Too many requests")
_TOO_MANY: Final = N_("There were too many requests from your network. Please wait a minute.")


def refused(request: Request, reason: Reason) -> Response:
    """The page for a reason."""
    return _page(request, 400, _TEXTS[reason], reason.value)


def too_many(request: Request, wait_s: int) -> Response:
    """Return the page for a visitor who asks too often."""
    made = _page(request, 429, _TOO_MANY, "rate_limited", _TOO_MANY_TITLE)
    made.headers["retry-after"] = str(wait_s)
    return made


def _page(request: Request, status: int, message: str, reason: str, title: str = TITLE) -> Response:
    return render.page(
        request, "consent/refused.html", status=status, title=title, message=message, reason=reason
    )
