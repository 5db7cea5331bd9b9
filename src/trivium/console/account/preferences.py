"""Language and colours, which visitors may choose as well."""

from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, language, render, session
from trivium.console.language import LANGUAGES

YEAR_S: Final = 31_536_000


class Preferences(forms.Form, frozen=True, kw_only=True):
    """What is chosen; what is absent stays as it is."""

    language: str | None = None
    theme: Literal["system", "light", "dark"] | None = None
    place: str = ""


async def choose(request: Request) -> Response:
    """Remember the choice in this browser and go back to where it was made."""
    chosen = forms.filled(request, Preferences).value or Preferences()
    answer = render.redirect(request, session.after(request, chosen.place))
    if chosen.language in LANGUAGES:
        session.set_cookie(request, answer, language.COOKIE, chosen.language, YEAR_S)
    if chosen.theme is not None:
        # read by a script as well, so that the switch needs no round trip
        answer.set_cookie(
            render.THEME,
            chosen.theme,
            max_age=YEAR_S,
            path="/",
            secure=context.of(request).secure,
            samesite="lax",
        )
    return answer


PAGES: Final = (Route("/account/preferences", choose, methods=["POST"]),)
