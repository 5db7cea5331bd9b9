"""``trivium credit``: book money onto a user's balance."""

from typing import TYPE_CHECKING, Annotated

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.database import users_and_keys
from trivium.cli.output import CommandFailed, as_json, note, printable
from trivium.clock import SystemClock
from trivium.identity.model import User, UserKind
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.entries import Entries
from trivium.ledger.model import Entry, EntryKind
from trivium.observe.audit.model import ActKind

if TYPE_CHECKING:
    from trivium.storage.database import Connection, Database


async def credit(
    user: Annotated[str, typer.Argument(metavar="NAME", help="A name or an e-mail address.")],
    amount: Annotated[
        str,
        typer.Argument(
            metavar="AMOUNT",
            help="US dollars: 10.00. Taking some back is an adjustment: credit NAME -- -10.00",
        ),
    ],
    *,
    note_: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Kept with the entry.", show_default=False)
    ] = "",
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Book a top-up and show the new balance."""
    amount_nanos = parse_usd(amount)
    if not amount_nanos:
        raise CommandFailed("an amount of zero changes nothing", code=2)
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        found = await identity.find_user(user)
        await check_wallet(database, found)
        entry = await book(database, found, amount_nanos, note_)
        balance_nanos = await Entries(database, SystemClock()).balance(found.id)
    tell_booked(found, entry, balance_nanos, json=json)


async def check_wallet(database: "Database", user: User) -> None:
    """Raise ``IdentityError`` (``wallet``) for a team that spends its parent's balance, where money
    would lie unspent.
    """
    from trivium.identity.teams.service import Teams

    if user.kind is not UserKind.PERSON:
        await Teams(database, SystemClock()).check_wallet(user)


def tell_booked(found: User, entry: Entry, balance_nanos: int, *, json: bool) -> None:
    """Print what was booked and the balance after it."""
    if json:
        as_json(
            {
                "user": found.name,
                "entry": entry.id,
                "kind": entry.kind,
                "amount": format_usd(entry.amount_nanos),
                "balance": format_usd(balance_nanos),
            }
        )
    else:
        note(
            f"booked {format_usd(entry.amount_nanos)} USD for {printable(found.name)}, "
            f"whose balance is {format_usd(balance_nanos)} USD"
        )


async def book(database: "Database", user: User, amount_nanos: int, text: str) -> Entry:
    """Append the entry: money that comes is a top-up, money taken back an adjustment."""
    async with database.write() as conn:
        return await book_within(database, conn, user, amount_nanos, text)


async def book_within(
    database: "Database", conn: "Connection", user: User, amount_nanos: int, text: str
) -> Entry:
    """The same in the transaction that is given, where it is told as well."""

    async def log_act(conn: "Connection", entry: Entry) -> None:
        amount = {"amount": format_usd(amount_nanos)}
        told = act_log(database).within
        await told(conn, ActKind.USER_CREDIT, user.id, f"entry:{entry.id}", amount)

    kind = EntryKind.TOP_UP if amount_nanos > 0 else EntryKind.ADJUSTMENT
    entries = Entries(database, SystemClock())
    return await entries.within(conn, user.id, kind, amount_nanos, text, along=log_act)
