"""Language and colours, which visitors may choose as well: theirs are in cookies alone."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, cookies, forms, language, render, session
from trivium.console.language import LANGUAGES
from trivium.identity.accounts.service import Theme

YEAR_S: Final = 31_536_000


class Preferences(forms.Form, frozen=True, kw_only=True):
    """The choices of the form; those that are absent stay as they are."""

    language: str | None = None
    theme: Theme | None = None
    place: str = ""


async def choose(request: Request) -> Response:
    """Store the choice in this browser, and with the account of a logged-in user; go back to the
    page it was made on.
    """
    chosen = forms.filled(request, Preferences).value or Preferences()
    found = await session.current(request)
    if found is not None:
        await context.of(request).accounts.preferences.keep(
            found.user.id,
            language=chosen.language if chosen.language in LANGUAGES else None,
            theme=chosen.theme,
        )
    answer = render.redirect(request, session.after(request, chosen.place))
    if chosen.language in LANGUAGES:
        cookies.give(request, answer, language.COOKIE, chosen.language, YEAR_S)
    if chosen.theme is not None:
        # read by a script as well, so that the switch needs no round trip
        answer.set_cookie(
            render.THEME,
            chosen.theme.value,
            max_age=YEAR_S,
            path="/",
            secure=context.of(request).secure,
            samesite="lax",
        )
    return answer


PAGES: Final = (Route("/account/preferences", choose, methods=["POST"]),)
