"""``trivium payment``: what was begun, paid and held at a payment provider."""

from typing import Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.database import users_and_keys
from trivium.cli.output import NONE, as_json, moment, table
from trivium.clock import SystemClock
from trivium.ledger.amounts import format_usd
from trivium.ledger.payments.model import Payment, PaymentState
from trivium.ledger.payments.service import LISTED_MAX, Payments
from trivium.observe.audit.service import Audit

HEADS: Final = (
    *("REFERENCE", "USER", "AMOUNT", "STATE", "GIVEN BACK"),
    *("BEGUN", "PAID", "DISPUTED", "SESSION"),
)


async def listing(
    *,
    user: Annotated[
        str | None,
        typer.Option(metavar="USER", help="Only this user's: a name or an e-mail address."),
    ] = None,
    state: Annotated[
        PaymentState | None, typer.Option(metavar="STATE", help="Only these, such as held.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="How many.", min=1, max=LISTED_MAX)] = 20,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List payments, newest first."""
    settings = config.settings_of(config_)
    async with users_and_keys(settings.storage) as (identity, database):
        names = {each.id: each.name for each in await identity.list_users()}
        user_id = None if user is None else (await identity.find_user(user)).id
        clock = SystemClock()
        payments = Payments(database, clock, Audit(database, clock), settings.payments, None)
        found = await payments.newest(user_id, state, limit)
    if json:
        as_json([_plain(each, names) for each in found])
    else:
        print(table(HEADS, [_row(each, names) for each in found]))


def _plain(each: Payment, names: dict[int, str]) -> dict[str, object]:
    plain: dict[str, object] = {name: getattr(each, name) for name in each.__struct_fields__}
    for name in ("amount", "refunded"):
        del plain[f"{name}_nanos"]
    plain["amount"] = format_usd(each.amount_nanos)
    plain["refunded"] = format_usd(each.refunded_nanos)
    plain["user"] = names[each.user_id]
    return plain


def _row(each: Payment, names: dict[int, str]) -> tuple[str, ...]:
    return (
        each.reference,
        names[each.user_id],
        format_usd(each.amount_nanos),
        each.state.value,
        format_usd(each.refunded_nanos) if each.refunded_nanos else NONE,
        moment(each.created_at),
        moment(each.paid_at),
        moment(each.disputed_at),
        each.session_id or NONE,
    )
