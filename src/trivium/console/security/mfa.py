"""Switch the second factor on and off; recovery codes."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, LazyText
from trivium.console.refusals import refuse, words
from trivium.console.security.overview import HOME
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.mfa.service import Enrolment
from trivium.observe.audit.model import ActKind

PAGE: Final = f"{HOME}/factor"


class EnrolCodeForm(forms.Form, frozen=True, kw_only=True):
    """The form for the first code of the app."""

    code: forms.Line


@session.recent
async def show(request: Request) -> Response:
    """Show a new secret, as a QR code and as text."""
    try:
        enrolment = await context.of(request).accounts.factor.begin(await session.of(request))
    except AccountError as error:
        return _back(request, error)
    return _page(request, enrolment, forms.empty(EnrolCodeForm))


@session.recent_at(PAGE)
async def finish(request: Request) -> Response:
    """Try the first code; then the recovery codes are shown, this once."""
    accounts = context.of(request).accounts
    found = await session.of(request)
    form = forms.filled(request, EnrolCodeForm)
    try:
        if form.value is None:
            return _page(request, await accounts.factor.pending(found), form, 422)
        token, codes = await accounts.factor.finish(
            session.token(request), found, form.value.code, session.visitor(request)
        )
    except AccountError as error:
        if error.why not in (AccountRefusal.CODE_WRONG, AccountRefusal.TOO_MANY_TRIES):
            return _back(request, error)
        status = refuse(form, error)
        return _page(request, await accounts.factor.pending(found), form, status)
    await session.log_act(request, ActKind.SECOND_FACTOR_ON, found.user.id)
    answer = _codes(request, codes, N_("The second factor is on."))
    session.renew(request, answer, token)
    return answer


@session.recent_at(HOME)
async def off(request: Request) -> Response:
    """Switch the second factor off, and give the session a new token."""
    found = await session.of(request)
    token = await context.of(request).accounts.factor.off(
        session.token(request), found, session.visitor(request)
    )
    await session.log_act(request, ActKind.SECOND_FACTOR_OFF, found.user.id)
    answer = render.redirect(request, HOME, N_("The second factor is off."))
    session.renew(request, answer, token)
    return answer


@session.recent_at(HOME)
async def renew_codes(request: Request) -> Response:
    """Replace the recovery codes and show the new ones."""
    try:
        codes = await context.of(request).accounts.factor.new_codes(await session.of(request))
    except AccountError as error:
        return _back(request, error)
    return _codes(request, codes, N_("The earlier recovery codes are worth nothing any more."))


def picture(address: str) -> str:
    """Return the QR code as SVG, which is our own drawing and needs no escaping."""
    import segno

    # black on white also where the page is dark: not every camera reads the reverse
    made = segno.make(address, error="m", micro=False)
    drawn: str = made.svg_inline(scale=4, border=4, dark="#000", light="#fff", svgclass="qr")
    return drawn


def _page(
    request: Request, enrolment: Enrolment, form: forms.Filled[EnrolCodeForm], status: int = 200
) -> Response:
    secret = enrolment.secret
    return render.page(
        request,
        "security/enrol.html",
        status=status,
        form=form,
        picture=picture(enrolment.address),
        secret=" ".join(secret[i : i + 4] for i in range(0, len(secret), 4)),
    )


def _codes(request: Request, codes: list[str], said: str) -> Response:
    return render.page(request, "security/codes.html", codes=codes, said=LazyText(said))


def _back(request: Request, error: AccountError) -> Response:
    if error.why is AccountRefusal.SESSION_GONE:
        return RedirectResponse("/login", 303)
    return render.redirect(request, HOME, words(error).message, tone="warn")


PAGES: Final = (
    Route(PAGE, show),
    Route(PAGE, finish, methods=["POST"]),
    Route(f"{PAGE}/off", off, methods=["POST"]),
    Route(f"{PAGE}/codes", renew_codes, methods=["POST"]),
)
