"""``trivium code``: amounts that whoever holds a code may turn into balance."""

from typing import Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.credit import tell_booked
from trivium.cli.database import users_and_keys
from trivium.cli.key import Expires, last_second
from trivium.cli.output import NONE, as_csv, as_json, counted, moment, note, table
from trivium.clock import SystemClock
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.codes.model import Batch, Code
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.observe.audit.model import ActKind, Detail

BATCH_HEADS: Final = (
    *("BATCH", "AMOUNT", "CODES", "REDEEMED", "REVOKED"),
    *("EXPIRES", "CREATED", "NOTE"),
)
CODE_HEADS: Final = ("ID", "CODE", "AMOUNT", "STATE", "EXPIRES", "REDEEMED", "BY")


async def create(
    *,
    amount: Annotated[str, typer.Option(metavar="AMOUNT", help="US dollars of each: 10.00")],
    count: Annotated[int, typer.Option(metavar="N", help="How many codes.")] = 1,
    expires: Expires = None,
    note_: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Kept with the batch.", show_default=False)
    ] = "",
    config_: config.ConfigOption = None,
) -> None:
    """Make a batch of codes and print them as CSV.

    They are shown once, alone on standard output; what is said about them goes to standard error.
    """
    amount_nanos = parse_usd(amount)
    expires_at = None if expires is None else last_second(expires)
    async with users_and_keys(config.settings_of(config_).storage) as (_, database):
        codes = Codes(database, SystemClock())
        batch_id, made = await codes.create(amount_nanos, count, expires_at, note_)
        worth: Detail = {"codes": count, "amount": format_usd(amount_nanos)}
        what = f"batch:{batch_id}"
        await act_log(database).add(ActKind.REDEMPTION_CREATED, None, what, worth)
    until = "" if expires_at is None else moment(expires_at)
    write = as_csv(("code", "amount_usd", "expires"))
    write((code, format_usd(amount_nanos), until) for code in made)
    note(f"batch {batch_id}: codes {len(made)}, worth {format_usd(amount_nanos)} USD each")
    note("This is the only time the codes are shown.")


async def listing(
    *,
    batch: Annotated[
        int | None, typer.Option(metavar="ID", help="The codes of this batch.")
    ] = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List batches, or the codes of one.

    The codes themselves are not stored; each is named by its id and its last characters.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (_, database):
        codes = Codes(database, SystemClock())
        found = await codes.batches() if batch is None else await codes.codes_of(batch)
    if json:
        as_json([_plain(each) for each in found])
        return
    print(table(BATCH_HEADS if batch is None else CODE_HEADS, [_row(each) for each in found]))


def _plain(each: Batch | Code) -> dict[str, object]:
    plain: dict[str, object] = {name: getattr(each, name) for name in each.__struct_fields__}
    del plain["amount_nanos"]
    plain["amount"] = format_usd(each.amount_nanos)
    if isinstance(each, Code):
        plain["state"] = each.state(SystemClock().now())
    return plain


def _row(each: Batch | Code) -> tuple[str, ...]:
    expires = "never" if each.expires_at is None else moment(each.expires_at)
    amount = format_usd(each.amount_nanos)
    if isinstance(each, Batch):
        return (
            str(each.id),
            amount,
            str(each.codes),
            str(each.redeemed),
            str(each.revoked),
            expires,
            moment(each.created_at),
            each.note or NONE,
        )
    return (
        str(each.id),
        f"…{each.hint}",
        amount,
        each.state(SystemClock().now()),
        expires,
        moment(each.redeemed_at),
        each.user or NONE,
    )


async def revoke(
    which: Annotated[
        str, typer.Argument(metavar="CODE", help="batch:3, id:12 or the code itself.")
    ],
    config_: config.ConfigOption = None,
) -> None:
    """Refuse codes from now on; what was redeemed stays booked."""
    async with users_and_keys(config.settings_of(config_).storage) as (_, database):
        gone = await Codes(database, SystemClock()).revoke(which)
        # the code itself is a secret until it is refused, and a batch's name is none
        what = which if which.startswith(("batch:", "id:")) else "code"
        await act_log(database).add(ActKind.REDEMPTION_REVOKED, None, what, {"codes": gone})
    note(f"revoked {counted(gone, 'open code')}")


async def redeem(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Case and hyphens do not count.")],
    *,
    user: Annotated[str, typer.Option(metavar="NAME", help="A name or an e-mail address.")],
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Book what a code is worth on a user's balance."""
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        found = await identity.find_user(user)
        entry = await Codes(database, SystemClock()).redeem(found.id, code)
        amount = {"amount": format_usd(entry.amount_nanos)}
        await act_log(database).add(ActKind.REDEEMED, found.id, entry.request_id or "", amount)
        balance_nanos = await Entries(database, SystemClock()).balance(found.id)
    tell_booked(found, entry, balance_nanos, json=json)
