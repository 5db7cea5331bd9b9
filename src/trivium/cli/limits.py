"""Limits on the command line: options of users and keys, and budgets as people write them."""

from typing import Annotated, Final, TypeAlias

import typer

from trivium.cli.output import CommandFailed
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.settings.budget import UTC_NAME, Budget, Period
from trivium.settings.limits import RateLimits
from trivium.settings.limits import limits as rates_of

Rpm: TypeAlias = Annotated[int | None, typer.Option(metavar="N", help="Requests a minute.", min=1)]
Tpm: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Tokens a minute, of prompts and answers.", min=1)
]
Concurrency: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Requests that may run at once.", min=1)
]

Budgets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AMOUNT/PERIOD",
        help="What it may cost: 5.00/month, also day, week, total, 5h or 7d; once for each period.",
    ),
]
EndUserRpm: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", help="Requests a minute for each end user that callers name.", min=1),
]
EndUserBudgets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AMOUNT/PERIOD",
        help="What each end user may cost: 0.50/day, also week, month, 5h or 7d; once for each "
        "period.",
    ),
]
Networks: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CIDR",
        help="An address or network it may be used from; give it once for each. "
        "Without any, from anywhere.",
    ),
]

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
PERIODS: Final = ", ".join(period.value for period in Period)


def budget(text: str) -> Budget:
    """Read a budget such as ``5.00/month``: an amount in US dollars and a period. Raises Failed."""
    amount, _, period = text.partition("/")
    try:
        return Budget(amount_nanos=parse_usd(amount), period=Period(period))
    except (ValueError, LedgerError):
        raise CommandFailed(
            f"--budget is an amount in US dollars and a period, such as 5.00/month, not {text!r}; "
            f"periods are {PERIODS}",
            code=2,
        ) from None


def budgets(texts: list[str] | None) -> list[Budget]:
    """Read budgets, one a text; none for none. Raises Failed."""
    return [budget(text) for text in texts or ()]


def said(budget: Budget) -> str:
    """A budget for people: ``100.00 USD/month, Europe/Berlin, soft``."""
    parts = [f"{format_usd(budget.amount_nanos)} USD/{budget.period.value}"]
    parts += [budget.zone] if budget.zone != UTC_NAME else []
    parts += ["soft"] if budget.soft else []
    parts += [f"then {budget.instead}"] if budget.instead else []
    return ", ".join(parts)


def duration(text: str) -> int:
    """Read ``24h``, ``90m``, ``7d`` or ``30s`` as seconds. Raises CommandFailed."""
    number, unit = text[:-1], text[-1:]
    if number.isascii() and number.isdecimal() and len(number) <= 6 and unit in _UNITS:
        return int(number) * _UNITS[unit]
    raise CommandFailed(
        f"--overlap is a number and s, m, h or d, such as 24h, not {text!r}", code=2
    )


def shown(limits: RateLimits | None, budgets: tuple[Budget, ...] = ()) -> str:
    """Return limits in one line for people; empty when nothing is limited."""
    limits = limits or RateLimits()
    parts = [
        f"{value} {what}"
        for value, what in (
            (limits.requests, "requests a minute"),
            (limits.tokens, "tokens a minute"),
            (limits.concurrency, "at once"),
        )
        if value is not None
    ]
    parts += [f"{format_usd(each.amount_nanos)} USD/{each.period.value}" for each in budgets]
    return ", ".join(parts)


def each_end_user(requests: int | None, budgets: tuple[Budget, ...]) -> str:
    """The limits of single end users in one line; empty when there are none."""
    bounds = shown(rates_of(requests, None, None), budgets)
    return f"each end user: {bounds}" if bounds else ""
