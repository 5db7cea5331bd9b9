"""Giving balance by hand: for administrators who have just proved who they are."""

import re
import secrets
from typing import Annotated, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, text
from trivium.identity.errors import IdentityError
from trivium.identity.model import User
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import Entry, EntryKind
from trivium.ledger.statement.service import ByHand
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection

LATELY_MAX: Final = 20
"""Bookings by hand that are shown, and can be taken back."""
_ONCE: Final = re.compile(r"[0-9A-Za-z_-]{22}")


class Credit(forms.Form, frozen=True, kw_only=True):
    """What is given to whom. ``once`` makes a form that is sent twice count once; ``sure``: the
    administrator has seen what it comes to and wants it booked.
    """

    user: forms.Line
    amount: forms.Line
    note: Annotated[str, msgspec.Meta(max_length=200)] = ""
    once: str = ""
    sure: bool = False


class Undo(forms.Form, frozen=True, kw_only=True):
    """The entry to take back."""

    entry: forms.Line


class CreditPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a booking comes to, shown before it is booked. Amounts in nano-dollars."""

    user: User
    amount_nanos: int
    before_nanos: int
    after_nanos: int


@session.admin
@session.recent
async def show(request: Request) -> Response:
    """Show the form; ``?user=`` says for whom."""
    wanted = request.query_params.get("user", "")[:254]
    return await _page(request, forms.empty(Credit, user=wanted))


@session.admin
@session.recent
async def give(request: Request) -> Response:
    """Ask whether it is meant, then book it, once, as the administrator's act."""
    console = context.of(request)
    form = forms.filled(request, Credit)
    given = form.value
    if given is None or not _ONCE.fullmatch(given.once):
        if given is not None:
            form.fail("", N_("This form is too old. Please send it again."))
        return await _page(request, form, 422)
    try:
        amount_nanos = parse_usd(given.amount.replace(",", ""))
    except LedgerError:
        amount_nanos = 0
    if not amount_nanos:
        form.fail("amount", N_("Please write US dollars as digits, such as 25 or -12.50."))
        return await _page(request, form, 422)
    user = await _whose(request, form, given.user)
    if user is None:
        return await _page(request, form, 422)
    if not given.sure:
        before = await console.entries.balance(user.id)
        question = CreditPreview(
            user=user,
            amount_nanos=amount_nanos,
            before_nanos=before,
            after_nanos=before + amount_nanos,
        )
        return await _page(request, form, question=question)
    try:
        await book(request, user, amount_nanos, given.note, f"credit:{given.once}")
    except LedgerError as error:
        form.fail("", text(N_("Nothing was booked: %(why)s."), why=str(error)))
        return await _page(request, form, 422)
    return await _booked(request, user, amount_nanos)


async def _whose(request: Request, form: forms.Filled[Credit], typed: str) -> User | None:
    """Whose balance it is booked on; ``None``: nobody's, which is said in the form."""
    console = context.of(request)
    try:
        user = await console.identity.find_user(typed)
    except IdentityError:
        form.fail("user", N_("There is no user of this name or address."))
        return None
    try:
        await console.teams.check_wallet(user)
    except IdentityError:
        said = N_("%(name)s spends another team's balance: book it there.")
        form.fail("user", text(said, name=user.name))
        return None
    return user


@session.admin
@session.recent
async def undo(request: Request) -> Response:
    """Book the opposite of an entry that was booked here; asked twice it is booked once."""
    console = context.of(request)
    wanted = forms.filled(request, Undo).value
    found = {str(each.entry.id): each for each in await _lately(request)}
    given = found.get(wanted.entry) if wanted is not None else None
    if given is None or not given.can_be_undone:
        return render.redirect(
            request, "/admin/credit", N_("That was taken back already."), tone="info"
        )
    entry = given.entry
    user = await console.directory.one(entry.user_id)
    await book(request, user, -entry.amount_nanos, f"Entry {entry.id} taken back", given.undo_id)
    return await _booked(request, user, -entry.amount_nanos)


async def book(request: Request, user: User, amount_nanos: int, note: str, once: str) -> None:
    """Append an entry, once, and tell the act. Raises ``LedgerError``."""
    kind = EntryKind.TOP_UP if amount_nanos > 0 else EntryKind.ADJUSTMENT
    amount = format_usd(amount_nanos)
    told = session.act_logger(request)

    async def log_act(conn: Connection, entry: Entry) -> None:
        await told(conn, ActKind.USER_CREDIT, user.id, f"entry:{entry.id}", {"amount": amount})

    entries = context.of(request).entries
    await entries.book(user.id, kind, amount_nanos, note, once, along=log_act)


async def _booked(request: Request, user: User, amount_nanos: int) -> Response:
    speech = render.speech_of(request)
    balance = await context.of(request).entries.balance(user.id)
    return render.redirect(
        request,
        "/admin/credit",
        N_("%(amount)s were booked for %(user)s, whose balance is %(balance)s."),
        amount=speech.exact(amount_nanos),
        user=user.name,
        balance=speech.exact(balance),
    )


async def _lately(request: Request) -> list[ByHand]:
    """Return what administrators booked last, here or through the API, as the audit log has it."""
    console = context.of(request)
    acts = await console.audit.everything(kind=ActKind.USER_CREDIT, limit=LATELY_MAX)
    ids = [what.partition(":")[2] for act in acts if (what := act.what).startswith("entry:")]
    return await console.statement.by_hand([int(each) for each in ids])


async def _page(
    request: Request,
    form: forms.Filled[Credit],
    status: int = 200,
    question: CreditPreview | None = None,
) -> Response:
    once = form.first("once")
    if not _ONCE.fullmatch(once):
        once = secrets.token_urlsafe(16)
    return render.page(
        request,
        "topup/credit.html",
        status=status,
        form=form,
        once=once,
        question=question,
        lately=await _lately(request),
    )


PAGES: Final = (
    Route("/admin/credit", show, methods=["GET"]),
    Route("/admin/credit", give, methods=["POST"]),
    Route("/admin/credit/undo", undo, methods=["POST"]),
)
