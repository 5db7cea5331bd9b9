"""Making a user, and what one may spend: price group, limits, overdraft; and which letters come."""

from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account import key_terms
from trivium.console.account.key_terms import Count
from trivium.console.forms import row
from trivium.console.language import N_, LazyText
from trivium.console.topup.redeem import SAID as CODE_SAID
from trivium.identity.errors import IdentityError, TakenError
from trivium.identity.model import User, UserKind, UserRole
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.codes.model import CodeError
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import EntryKind
from trivium.observe.audit.model import ActKind
from trivium.settings.limits import RateLimits, limits
from trivium.storage.database import Connection


class UserTermsForm(forms.Form, frozen=True, kw_only=True):
    """What somebody may spend and take, over all keys together; and letters about budgets."""

    group: str = ""
    requests: Count | None = None
    tokens: Count | None = None
    concurrency: Count | None = None
    unlimited: bool = False
    letters: bool = False
    overdraft: str = ""


class NewUserForm(UserTermsForm, frozen=True, kw_only=True):
    """Who it is, and what they begin with."""

    name: forms.Line
    email: forms.Line
    admin: bool = False
    credit: str = ""


class RedeemForForm(forms.Form, frozen=True, kw_only=True):
    """The code that is redeemed for somebody."""

    code: forms.Line


_WRONG: Final = {
    "name": N_("A name has 2 to 64 letters, digits, dots, dashes or underscores, and no @."),
    "email": N_("This is not an e-mail address."),
    "limits": N_("Please give whole numbers."),
    "group": N_("The settings have no such price group."),
}
_FIELDS: Final = {"name": "name", "email": "email", "limits": "requests", "group": "group"}


@session.admin
async def show_new(request: Request) -> Response:
    """Show the form for a user."""
    return _new_page(request, forms.empty(NewUserForm))


@session.admin
@session.recent_at("/admin/users")
async def create(request: Request) -> Response:
    """Make a user, perhaps with a first credit."""
    form = forms.filled(request, NewUserForm)
    nanos = key_terms.amount(form, "credit")
    wanted = form.value
    if wanted is not None and wanted.unlimited and nanos:
        form.fail("credit", N_("Whoever spends without a balance needs no credit."))
    _check_group(request, form, "")
    wanted = form.value
    if wanted is None:
        return _new_page(request, form, 422)
    console, log_act = context.of(request), session.act_logger(request)
    role = UserRole.ADMIN if wanted.admin else UserRole.USER

    async def begin(conn: Connection, made: User) -> None:
        await log_act(conn, ActKind.USER_CREATED, made.id, "", {"role": role.value})
        if nanos:
            entry = await console.entries.within(
                conn, made.id, EntryKind.TOP_UP, nanos, "credit at creation"
            )
            told = {"amount": format_usd(nanos)}
            await log_act(conn, ActKind.USER_CREDIT, made.id, f"entry:{entry.id}", told)

    try:
        user = await console.identity.create_user(
            wanted.name,
            wanted.email,
            role,
            unlimited=wanted.unlimited,
            group=wanted.group,
            limits=limits(wanted.requests, wanted.tokens, wanted.concurrency),
            along=begin,
        )
    except IdentityError as error:
        form.fail(_FIELDS.get(error.field, ""), _said(error))
        return _new_page(request, form, 422)
    said = N_("%(name)s has an account. They log in by a password link, which you can send below.")
    return render.redirect(request, f"/admin/users/{user.id}", said, name=user.name)


@session.admin
async def show(request: Request) -> Response:
    """Show what somebody may spend, as a form."""
    user = await person(request)
    return await _page(request, user, await _filled(request, user))


@session.admin
@session.recent_at("/admin/users")
async def save(request: Request) -> Response:
    """Put in force what the form says."""
    user = await person(request)
    form = forms.filled(request, UserTermsForm)
    below_zero = overdraft(form)
    _check_group(request, form, user.group)
    wanted = form.value
    if wanted is None or below_zero is None:
        return await _page(request, user, form, 422)
    console = context.of(request)
    changes: dict[str, object] = {
        "group": wanted.group,
        "limits": limits(wanted.requests, wanted.tokens, wanted.concurrency),
        "unlimited": wanted.unlimited,
    }
    changes = {name: value for name, value in changes.items() if getattr(user, name) != value}
    try:
        if changes:
            await console.directory.change(user.id, changes, session.act_logger(request))
    except IdentityError as error:
        form.fail(_FIELDS.get(error.field, ""), _said(error))
        return await _page(request, user, form, 422)
    await set_overdraft(request, user.id, below_zero)
    if wanted.letters != user.budget_letters:
        await console.accounts.prefer(user.id, budget_letters=wanted.letters)
    said = N_("%(name)s is saved. What has changed holds everywhere within two seconds.")
    return render.redirect(request, f"/admin/users/{user.id}", said, name=user.name)


@session.admin
@session.recent_at("/admin/users")
async def redeem(request: Request) -> Response:
    """Redeem a code for somebody, who cannot."""
    user = await person(request)
    back = f"/admin/users/{user.id}/terms"
    form = forms.filled(request, RedeemForForm).value
    try:
        entry = await context.of(request).codes.redeem(user.id, form.code if form else "")
    except CodeError as error:
        return render.redirect(request, back, CODE_SAID[error.why], tone="bad")
    amount = format_usd(entry.amount_nanos)
    what = entry.request_id or ""
    await session.tell_of(request, ActKind.REDEEMED, user.id, what, amount=amount)
    said = N_("$%(amount)s were added to the balance of %(name)s.")
    return render.redirect(request, back, said, amount=amount, name=user.name)


async def person(request: Request) -> User:
    """The person of the path. Raises HTTPException (404)."""
    try:
        user = await context.of(request).directory.one(request.path_params["user"])
    except IdentityError:
        raise HTTPException(404) from None
    if user.kind is not UserKind.PERSON:
        raise HTTPException(404)
    return user


def overdraft(form: forms.Filled[Any]) -> int | None:
    """How far the balance may go below zero; ``None``: it is no amount, which is said."""
    typed = form.first("overdraft").strip().removeprefix("$") or "0"
    try:
        nanos = parse_usd(typed)
    except LedgerError:
        nanos = -1
    if nanos < 0:
        form.fail("overdraft", N_("Please give an amount in dollars, such as 10.00."))
        return None
    return nanos


async def set_overdraft(request: Request, account_id: int, nanos: int) -> None:
    """Let the balance of an account go so far below zero, unless it may already."""
    entries = context.of(request).entries
    if nanos != await entries.overdraft(account_id):
        await entries.set_overdraft(account_id, nanos)
        told = {"amount": format_usd(nanos)}
        await session.tell_of(request, ActKind.USER_OVERDRAFT, account_id, "", **told)


def _check_group(request: Request, form: forms.Filled[Any], before: str) -> None:
    group = form.first("group").strip()
    if group and group != before and group not in context.of(request).settings.groups:
        form.fail("group", LazyText(_WRONG["group"]))


def _said(error: IdentityError) -> LazyText:
    if isinstance(error, TakenError):
        return LazyText(N_("Somebody has this name or address already."))
    return LazyText(_WRONG.get(error.field, N_("This is not written as it should be.")))


async def _filled(request: Request, user: User) -> forms.Filled[UserTermsForm]:
    below_zero = await context.of(request).entries.overdraft(user.id)
    rates = msgspec.structs.asdict(user.limits or RateLimits())
    given = {name: "" if value is None else str(value) for name, value in rates.items()}
    return forms.empty(
        UserTermsForm,
        group=user.group,
        unlimited="1" if user.unlimited else "",
        letters="1" if user.budget_letters else "",
        overdraft=format_usd(below_zero) if below_zero else "",
        **given,
    )


def _groups(request: Request, present: str) -> list[tuple[str, str]]:
    known = list(context.of(request).settings.groups)
    if present and present not in known:
        known.append(present)
    return [("", N_("None")), *((each, each) for each in known)]


def _new_page(request: Request, form: forms.Filled[NewUserForm], status: int = 200) -> Response:
    return render.page(
        request,
        "admin/user_new.html",
        status=status,
        form=form,
        groups=_groups(request, ""),
    )


async def _page(
    request: Request, user: User, form: forms.Filled[UserTermsForm], status: int = 200
) -> Response:
    return render.page(
        request,
        "admin/user_terms.html",
        status=status,
        one=user,
        form=form,
        groups=_groups(request, user.group),
        at=f"/admin/users/{user.id}",
    )


_USER: Final = f"/admin/users/{row('user')}"
PAGES: Final = (
    Route("/admin/users/new", show_new),
    Route("/admin/users/new", create, methods=["POST"]),
    Route(f"{_USER}/terms", show),
    Route(f"{_USER}/terms", save, methods=["POST"]),
    Route(f"{_USER}/redeem", redeem, methods=["POST"]),
)
