"""What a key may do, as forms have it: both that of a new key and that of one that is there."""

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec

from trivium.console import forms
from trivium.console.language import N_, LazyText
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.terms import BUDGET_NANOS_MAX, Terms
from trivium.identity.user_keys import KEYS_MAX
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import LIMIT_MAX, RateLimits, limits

Count = Annotated[int, msgspec.Meta(ge=1, le=LIMIT_MAX)]
Lines = Annotated[str, msgspec.Meta(max_length=20_000)]
DAY_S: Final = 86_400


class Bounds(forms.Form, frozen=True, kw_only=True):
    """The limits that both forms ask for. An empty field sets no limit."""

    name: forms.Line
    models: Lines = ""
    requests: Count | None = None
    tokens: Count | None = None
    concurrency: Count | None = None
    end_user_requests: Count | None = None
    networks: Lines = ""
    strict: bool = False
    header_only: bool = False


class EditedKey(Bounds, frozen=True, kw_only=True):
    """All that can be changed of a key: its end is a day, and every period has its budget."""

    expires: dt.date | None = None
    day: str = ""
    week: str = ""
    month: str = ""
    total: str = ""


_WRONG: Final = {
    "models": N_("One of these is no model name; only a star at the end matches more."),
    "networks": N_("One of these is no network, such as 10.0.0.0/8 or 203.0.113.9."),
    "expires_at": N_("This day is over. Leave the field empty for a key that does not end."),
    "name": N_("Please use 1 to 100 printable characters."),
    "team": N_("You may not have keys for this team."),
}


EACH: Final = "each_"
"""Before a period: the field with the budget of each end user."""
EACH_PERIODS: Final = tuple(each for each in Period if each is not Period.TOTAL)


def bounds(form: forms.Filled[Any]) -> dict[str, Any] | None:
    """The members of ``Terms`` that both forms say the same way; ``None`` when something is wrong,
    which is said in the form then.
    """
    each = amounts(form, EACH_PERIODS, EACH)
    wanted = form.value
    if wanted is None:
        return None
    return {
        "name": wanted.name,
        "models": _lines(wanted.models),
        "limits": limits(wanted.requests, wanted.tokens, wanted.concurrency),
        "networks": _lines(wanted.networks),
        "strict": wanted.strict,
        "header_only": wanted.header_only,
        "end_user_requests": wanted.end_user_requests,
        "end_user_budgets": each,
    }


def amounts(
    form: forms.Filled[Any], periods: Iterable[Period], before: str = ""
) -> tuple[Budget, ...]:
    """The budgets of a form that has a field for each period. What is wrong is said in it."""
    return tuple(
        Budget(amount_nanos=nanos, period=period)
        for period in periods
        if (nanos := amount(form, f"{before}{period.value}")) is not None
    )


def amount(form: forms.Filled[Any], field: str) -> int | None:
    """Nano-dollars that were typed; ``None``: none. What is wrong with it is said in the form."""
    typed = form.first(field).strip().removeprefix("$")
    if not typed:
        return None
    try:
        nanos = parse_usd(typed)
    except LedgerError:
        form.fail(field, N_("Please give an amount in dollars, such as 10.00."))
        return None
    if not 0 < nanos <= BUDGET_NANOS_MAX:
        form.fail(field, N_("Please give an amount above 0 and at most a million dollars."))
        return None
    return nanos


def shown(key: Key) -> forms.Filled[EditedKey]:
    """The form of a key as it is now."""
    rates = key.limits or RateLimits()
    given = {
        "name": key.name,
        "expires": "" if key.expires_at is None else _last_day(key.expires_at).isoformat(),
        "models": "\n".join(key.models),
        "networks": "\n".join(key.networks),
        "requests": _digits(rates.requests),
        "tokens": _digits(rates.tokens),
        "concurrency": _digits(rates.concurrency),
        "strict": "1" if key.strict else "",
        "header_only": "1" if key.header_only else "",
        "end_user_requests": _digits(key.end_user_requests),
        **{each.period.value: format_usd(each.amount_nanos) for each in key.budgets},
        **{
            f"{EACH}{each.period.value}": format_usd(each.amount_nanos)
            for each in key.end_user_budgets
        },
    }
    return forms.empty(EditedKey, **given)


def terms(form: forms.Filled[EditedKey], before: Terms) -> Terms | None:
    """What the form asks for; ``None`` when something is wrong, which is said in it then."""
    budgets = amounts(form, Period)
    asked, wanted = bounds(form), form.value
    if asked is None or wanted is None:
        return None
    asked["end_user_budgets"] = _as_before(asked["end_user_budgets"], before.end_user_budgets)
    return msgspec.structs.replace(
        before,  # the form does not have all
        expires_at=_end(wanted.expires, before.expires_at),
        budgets=_as_before(budgets, before.budgets),
        **asked,
    )


_FIELDS: Final = {
    "name": "name",
    "models": "models",
    "networks": "networks",
    "limits": "requests",
    "expires_at": "expires",
    "team": "team",
}
"""Fields of both forms, by the members of a key."""


def refuse(form: forms.Filled[Any], error: IdentityError) -> None:
    """Say what is wrong, beside the field that the form has for it, else above the form."""
    form.fail(_FIELDS.get(error.field, ""), said(error))


def said(error: IdentityError) -> LazyText:
    """What is wrong, as a page says it."""
    if error.field == "keys":
        words = N_("You have %(count)s keys, which is as many as there can be. Revoke one first.")
        return LazyText(words, {"count": KEYS_MAX})
    if error.field == "key":
        return LazyText(N_("There is no such key, or it has been revoked."))
    return LazyText(_WRONG.get(error.field, N_("This is not written as it should be.")))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _digits(value: int | None) -> str:
    return "" if value is None else str(value)


def _last_day(end: int) -> dt.date:
    """The last day, in UTC, on which a key with this end works."""
    return dt.datetime.fromtimestamp(end - 1, dt.UTC).date()


def _end(day: dt.date | None, before: int | None) -> int | None:
    """The end of that day. A key that ends within it keeps its own end."""
    if day is None:
        return None
    if before is not None and day == _last_day(before):
        return before
    midnight = dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC)
    return int(midnight.timestamp()) + DAY_S


def _as_before(wanted: tuple[Budget, ...], before: tuple[Budget, ...]) -> tuple[Budget, ...]:
    """In the order that is stored, where they are the same: else nothing would be a change."""
    same = len(wanted) == len(before) and all(each in wanted for each in before)
    return before if same else wanted
