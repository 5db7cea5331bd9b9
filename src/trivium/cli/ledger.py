"""``trivium ledger``: proving the books, and taking them elsewhere."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.database import opened, users_and_keys
from trivium.cli.output import (
    CommandFailed,
    as_csv,
    as_json,
    counted,
    note,
    printable,
)
from trivium.clock import SystemClock
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.entries import Entries
from trivium.ledger.spreadsheet import spreadsheet_cell
from trivium.observe.audit.model import ActKind
from trivium.settings.prices import day

if TYPE_CHECKING:
    from trivium.settings.model import StorageSettings

TOLD_MAX: Final = 100
"""Wrong entries that are named; more are only counted."""


def verify(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """Prove that every balance is the sum of its entries.

    And that every entry's amount is what its own bill comes to, what is leased of each account the
    sum of its leases and holds, what statements add up to the same as the entries, and every
    redeemed code booked once. Names what is wrong and exits with 1.
    """
    entries, wrong = asyncio.run(_verified(config.settings_of(config_).storage))
    if json:
        as_json({"ok": not wrong, "entries": entries, "wrong": wrong})
    else:
        for line in wrong[:TOLD_MAX]:
            print(printable(line))
        if not wrong:
            note(f"{counted(entries, 'entry', 'entries')}: every balance is their sum")
    if wrong:
        raise CommandFailed(f"the ledger does not add up: {counted(len(wrong), 'contradiction')}")


async def _verified(storage: "StorageSettings") -> tuple[int, list[str]]:
    """Return how many entries there are, and a line for everything that is wrong."""
    from trivium.jobs.service import strays
    from trivium.ledger.proof import LedgerProof

    async with opened(storage) as database:
        proof = LedgerProof(database, SystemClock(), strays)
        wrong = [line async for lines in proof.steps() for line in lines]
    return proof.entries, wrong


async def export(
    *,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this user's entries.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DAY", help="From this day on, UTC: 2027-01-01")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DAY", help="Up to this day, not included.")
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT", help="csv, or focus for the columns of FinOps FOCUS."
        ),
    ] = "csv",
    config_: config.ConfigOption = None,
) -> None:
    """Write every entry as CSV to standard output, oldest first."""
    if format_ not in ("csv", "focus"):
        raise CommandFailed("--format must be csv or focus", code=2)
    first, last = _day(since, "--since", 0), _day(until, "--until", None)
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        from trivium.ledger import focus, verify

        is_focus = format_ == "focus"
        user_id = None if user is None else (await identity.find_user(user)).id
        write = as_csv(focus.COLUMNS if is_focus else verify.COLUMNS)
        end = verify.END if last is None else last
        async for name, entry in verify.entries(
            database, user_id=user_id, since=first or 0, until=end
        ):
            told = focus.rows_of(name, entry) if is_focus else [verify.row_of(name, entry)]
            write([spreadsheet_cell(text) for text in row] for row in told)


async def overdraft(
    user: Annotated[str, typer.Argument(metavar="NAME", help="A name or an e-mail address.")],
    amount: Annotated[
        str, typer.Argument(metavar="AMOUNT", help="US dollars below zero that are allowed: 50.00")
    ],
    config_: config.ConfigOption = None,
) -> None:
    """Let a user's balance go below zero by so much; 0 ends it."""
    nanos = parse_usd(amount)
    if nanos < 0:
        raise CommandFailed("an overdraft is 0 or more, such as 50.00", code=2)
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        found = await identity.find_user(user)
        await Entries(database, SystemClock()).set_overdraft(found.id, nanos)
        told = {"amount": format_usd(nanos)}
        await act_log(database).add(ActKind.USER_OVERDRAFT, found.id, "", told)
    note(f"the balance of {printable(found.name)} may go {format_usd(nanos)} USD below zero")


def _day(text: str | None, option: str, absent: int | None) -> int | None:
    if text is None:
        return absent
    try:
        return day(text)
    except ValueError:
        raise CommandFailed(f"{option} must be a day, such as 2027-01-01", code=2) from None
