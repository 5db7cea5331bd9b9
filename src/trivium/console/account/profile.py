"""Name, e-mail address, language and colours.

Visitors choose language and colours as well: theirs are in cookies alone.
"""

from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, cookies, forms, language, render, session
from trivium.console.account import key_terms
from trivium.console.language import LANGUAGES, N_
from trivium.console.refusals import refuse, words
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.service import Theme
from trivium.ledger.amounts import format_usd
from trivium.observe.audit.model import ActKind

YEAR_S: Final = 31_536_000


class PreferencesForm(forms.Form, frozen=True, kw_only=True):
    """The choices of the form; those that are absent stay as they are."""

    language: str | None = None
    theme: Theme | None = None
    place: str = ""


async def choose(request: Request) -> Response:
    """Store the choice in this browser and with a user's account; go back to where it was made."""
    chosen = forms.filled(request, PreferencesForm).value or PreferencesForm()
    found = await session.current(request)
    if found is not None:
        await context.of(request).accounts.prefer(
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


class LettersForm(forms.Form, frozen=True, kw_only=True):
    """The form that switches letters about budgets."""

    budgets: Literal["on", "off"]


@session.signed_in
async def letters(request: Request) -> Response:
    """Have letters about budgets of one's teams come, or not."""
    form = forms.filled(request, LettersForm).value
    user = session.user_of(request)
    if form is not None:
        is_on = form.budgets == "on"
        await context.of(request).accounts.prefer(user.id, budget_letters=is_on)
    return render.redirect(request, "/account/profile", N_("It is stored."))


class BalanceLetterForm(forms.Form, frozen=True, kw_only=True):
    """Below which balance a letter comes; empty: none does."""

    below: str = ""


@session.signed_in
async def balance_letter(request: Request) -> Response:
    """Have a letter come below another balance, or none."""
    form = forms.filled(request, BalanceLetterForm)
    nanos = key_terms.amount(form, "below")
    if form.errors:
        return await _page(request, balance=form, status=422)
    await context.of(request).entries.set_low(session.user_of(request).id, nanos)
    return render.redirect(request, "/account/profile", N_("It is stored."))


class Name(forms.Form, frozen=True, kw_only=True):
    """The form for another name."""

    name: forms.Line


class Email(forms.Form, frozen=True, kw_only=True):
    """The form for another address."""

    email: forms.Line


@session.signed_in
async def show(request: Request) -> Response:
    """Show the profile with its forms."""
    return await _page(request)


@session.signed_in
async def rename(request: Request) -> Response:
    """Give the user the name of the form, if it is free."""
    user = session.user_of(request)
    form = forms.filled(request, Name)
    if form.value is not None:
        try:
            name = await context.of(request).accounts.recovery.rename(user, form.value.name)
        except AccountError as error:
            refuse(form, error)
        else:
            await session.log_act(
                request, ActKind.USER_RENAMED, user.id, f"user:{user.id}", name=name
            )
            return render.redirect(request, "/account/profile", N_("Your name is changed."))
    return await _page(request, name=form, status=422)


@session.recent_at("/account/profile")
async def change_email(request: Request) -> Response:
    """Have a link sent to the new address; it counts from when the link is used."""
    found = await session.of(request)
    form = forms.filled(request, Email)
    if form.value is not None:
        try:
            await context.of(request).accounts.recovery.ask_email(
                found, form.value.email, session.visitor(request)
            )
        except AccountError as error:
            refuse(form, error)
        else:
            return render.redirect(
                request,
                "/account/profile",
                N_("An e-mail is on its way to %(email)s. Open its link to finish the change."),
                tone="info",
                email=form.value.email,
            )
    return await _page(request, email=form, status=422)


@session.signed_in
async def verify(request: Request) -> Response:
    """Have a link sent to the present address."""
    user = session.user_of(request)
    try:
        await context.of(request).accounts.recovery.ask_verify(user, session.visitor(request))
    except AccountError as error:
        form = forms.empty(Email, email=user.email)
        refuse(form, error)
        return await _page(request, email=form, status=422)
    return render.redirect(
        request,
        "/account/profile",
        N_("An e-mail is on its way to %(email)s."),
        tone="info",
        email=user.email,
    )


async def show_link(request: Request) -> Response:
    """Show a button, and whose address it would become; mail programs open links as well."""
    recovery = context.of(request).accounts.recovery
    try:
        user, email = await recovery.show_email(request.path_params["token"])
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    return render.page(request, "login/email.html", name=user.name, email=email, invited=None)


async def prove(request: Request) -> Response:
    """Make the address the user's, and note it as verified."""
    try:
        user = await context.of(request).accounts.recovery.prove_email(
            request.path_params["token"], session.visitor(request)
        )
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    await session.log_act(request, ActKind.EMAIL_CHANGED, user.id)
    said = N_("Your e-mail address is confirmed.")
    return render.redirect(request, "/account/profile", said)


async def _page(
    request: Request,
    *,
    name: forms.Filled[Name] | None = None,
    email: forms.Filled[Email] | None = None,
    balance: forms.Filled[BalanceLetterForm] | None = None,
    status: int = 200,
) -> Response:
    user = session.user_of(request)
    low = await context.of(request).entries.low(user.id)
    below = format_usd(low) if low else ""
    return render.page(
        request,
        "account/profile.html",
        status=status,
        name=name or forms.empty(Name, name=user.name),
        email=email or forms.empty(Email),
        balance=balance or forms.empty(BalanceLetterForm, below=below),
        letters=context.of(request).accounts.emails.is_open,
    )


PAGES: Final = (
    Route("/account/profile", show),
    Route("/account/profile/name", rename, methods=["POST"]),
    Route("/account/profile/email", change_email, methods=["POST"]),
    Route("/account/profile/verify", verify, methods=["POST"]),
    Route("/account/profile/balance", balance_letter, methods=["POST"]),
    Route("/account/profile/letters", letters, methods=["POST"]),
    Route("/account/preferences", choose, methods=["POST"]),
    Route("/email/{token}", show_link),
    Route("/email/{token}", prove, methods=["POST"]),
)
