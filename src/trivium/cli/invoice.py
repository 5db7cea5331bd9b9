"""``trivium invoice``: what an account or a team spent, billed to a customer."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.output import NONE, CommandFailed, as_json, note, printable, table, warn
from trivium.cli.team import teams_of
from trivium.clock import SystemClock
from trivium.ledger.amounts import format_usd
from trivium.ledger.invoices.model import Invoice, InvoiceDocument, plain, tax_of
from trivium.ledger.invoices.service import InvoiceRequest, Invoices, Told, billed
from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.rendering import day_text
from trivium.ledger.spending.service import dimensions
from trivium.observe.audit.model import ActKind
from trivium.settings.prices import day

if TYPE_CHECKING:
    from trivium.identity.service import Identity
    from trivium.identity.teams.model import TeamMap
    from trivium.identity.teams.service import Teams
    from trivium.storage.database import Connection, Database

HEADS: Final = ("NUMBER", "ACCOUNT", "FROM", "TO", "TOTAL", "ISSUED", "STATE")

NumberArgument = Annotated[str, typer.Argument(metavar="NUMBER", help="As it is printed: INV-7.")]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", metavar="FILE", help="Where the PDF goes: a new file."),
]


async def issue(
    account: Annotated[
        str, typer.Argument(metavar="ACCOUNT", help="Whose spending: a user or a team.")
    ],
    *,
    since: Annotated[
        str | None, typer.Option("--from", metavar="DAY", help="The first day, UTC. Last month's.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="DAY", help="The last day. Last month's.")
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="WHAT,…", help="What has a line, as of `trivium statement`.")
    ] = "model",
    customer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINE", help="Of the customer's address; once for each. As last time."
        ),
    ] = None,
    tax: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAX", help="'VAT=19%', 'Sales tax=12.34' or 'Reverse charge'; once for each."
        ),
    ] = None,
    output: OutputOption = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make out an invoice, once for the same days.

    Asked for again it is the same one, until it is voided.
    """
    wanted, taxes = dimensions(by), tuple(tax_of(words) for words in tax or ())
    async with _invoices(config_) as (invoices, teams, identity, database):
        user = await identity.find_user(account)
        first, last = _days(since, until)
        scope = billed(first, last, user.id, _below(await teams.all(), user.id))
        asked = InvoiceRequest(
            account_id=user.id,
            account=user.name,
            scope=scope,
            by=wanted,
            taxes=taxes,
            customer=tuple(customer or ()),
        )
        made, is_new = await invoices.issue(asked, _told(database, ActKind.INVOICE_ISSUED))
        found, document = await invoices.one(made.id)
        await _write(invoices, found, document, output)
    if json:
        as_json(plain(found, document))
        return
    done = "made out" if is_new else "there was already"
    note(f"{done} invoice {made.name} of {printable(user.name)}: {document.total} USD")


async def listing(
    account: Annotated[
        str | None, typer.Argument(metavar="[ACCOUNT]", help="Only of this one.")
    ] = None,
    *,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=500, help="How many.")] = 50,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List invoices, the newest first."""
    async with _invoices(config_) as (invoices, _, identity, _):
        of = None if account is None else [(await identity.find_user(account)).id]
        found = await invoices.page(of, None, limit)
        names = {user.id: user.name for user in await identity.list_users()}
    if json:
        as_json([plain(each) for each in found])
    else:
        print(table(HEADS, [_row(each, names.get(each.account_id, NONE)) for each in found]))


async def print_again(
    number: NumberArgument,
    *,
    output: OutputOption = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Print an invoice as it was made out, as PDF or JSON."""
    if output is None and not json:
        raise CommandFailed("say where the PDF goes: --output FILE; or --json", code=2)
    async with _invoices(config_) as (invoices, _, _, _):
        found, document = await invoices.find(number)
        await _write(invoices, found, document, output)
    if json:
        as_json(plain(found, document))


async def void(
    number: NumberArgument,
    *,
    note_: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Why.", show_default=False)
    ] = "",
    config_: config.ConfigOption = None,
) -> None:
    """Void an invoice. It keeps its number, and its days can be billed again."""
    async with _invoices(config_) as (invoices, _, _, database):
        found, _ = await invoices.find(number)
        await invoices.void(found.id, note_, _told(database, ActKind.INVOICE_VOIDED))
    note(f"voided invoice {found.name}")


@asynccontextmanager
async def _invoices(
    path: Path | None,
) -> "AsyncIterator[tuple[Invoices, Teams, Identity, Database]]":
    settings = config.settings_of(path)
    async with teams_of(settings.storage) as (teams, identity, database):
        yield Invoices(database, settings.invoices), teams, identity, database


def _below(teams: "TeamMap", account_id: int) -> tuple[int, ...] | None:
    """The teams whose keys are billed, of a team that spends another's balance."""
    team = teams.get(account_id)
    return None if team is None or team.has_wallet else tuple(teams.below(account_id))


def _days(since: str | None, until: str | None) -> tuple[int, int]:
    """The first and the last day; last month's where none is said."""
    month = datetime.fromtimestamp(SystemClock().now(), UTC).replace(day=1) - timedelta(days=1)
    last = int(month.timestamp()) // DAY_S if until is None else _day(until, "--to")
    begin = datetime.fromtimestamp(last * DAY_S, UTC).replace(day=1)
    return int(begin.timestamp()) // DAY_S if since is None else _day(since, "--from"), last


def _day(text: str, option: str) -> int:
    try:
        return day(text) // DAY_S
    except ValueError:
        raise CommandFailed(f"{option} must be a day, such as 2027-01-01", code=2) from None


def _told(database: "Database", kind: ActKind) -> Told:
    log = act_log(database)

    async def told(conn: "Connection", invoice: Invoice) -> None:
        await log.within(conn, kind, invoice.account_id, f"invoice:{invoice.name}")

    return told


async def _write(
    invoices: Invoices, found: Invoice, document: InvoiceDocument, path: Path | None
) -> None:
    if path is None:
        return
    data, lacking = await invoices.pdf(found, document)
    try:
        opened = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CommandFailed(f"cannot make {path}: {error.strerror}") from None
    with os.fdopen(opened, "wb") as out:
        out.write(data)
    note(f"wrote {found.name} to {path}")
    if lacking:
        warn(f"no font of invoices.fonts prints {', '.join(lacking)}: printed as code points")


def _row(each: Invoice, account: str) -> tuple[str, ...]:
    return (
        each.name,
        account,
        day_text(each.since),
        day_text(each.until),
        format_usd(each.total_nanos),
        day_text(each.issued_at // DAY_S),
        "in force" if each.voided_at is None else "void",
    )
