"""``trivium user``: people who have accounts, made, listed and switched."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import account, config, limits
from trivium.cli.account import UserArgument
from trivium.cli.audit import act_log
from trivium.cli.credit import book_within
from trivium.cli.database import users_and_keys
from trivium.cli.output import CommandFailed, as_json, moment, note, printable, table
from trivium.identity.model import User, UserKind, UserRole
from trivium.ledger.amounts import parse_usd
from trivium.observe.audit.model import ActKind
from trivium.settings.limits import limits as rates_of

if TYPE_CHECKING:
    from trivium.storage.database import Connection

HEADS: Final = ("ID", "NAME", "EMAIL", "ROLE", "SPENDS", "STATE", "CREATED")


async def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Unique; shown in lists.")],
    *,
    email: Annotated[str, typer.Option(metavar="E", help="Unique, too.")],
    admin: Annotated[
        bool, typer.Option("--admin", help="May administer the gateway, not only use models.")
    ] = False,
    credit: Annotated[
        str | None, typer.Option(metavar="AMOUNT", help="US dollars to begin with: 10.00")
    ] = None,
    unlimited: Annotated[
        bool, typer.Option("--unlimited", help="Spends without a balance.")
    ] = False,
    group: Annotated[
        str, typer.Option(metavar="G", help="Price group, see [groups].", show_default=False)
    ] = "",
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read a password from standard input.")
    ] = False,
    rpm: limits.Rpm = None,
    tpm: limits.Tpm = None,
    concurrency: limits.Concurrency = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make a user. Limits hold for all keys together."""
    if unlimited and credit is not None:
        raise CommandFailed("--credit and --unlimited exclude each other", code=2)
    amount_nanos = 0 if credit is None else parse_usd(credit)
    if credit is not None and amount_nanos <= 0:
        raise CommandFailed("--credit must be above zero, such as 10.00", code=2)
    given = account.first_password(name, email) if password_stdin else None
    rates = rates_of(rpm, tpm, concurrency)
    settings = config.settings_of(config_)
    async with users_and_keys(settings.storage) as (identity, database):
        role = UserRole.ADMIN if admin else UserRole.USER

        async def begin(conn: "Connection", made: User) -> None:
            told = act_log(database).within
            await told(conn, ActKind.USER_CREATED, made.id, detail={"role": role.value})
            if amount_nanos:
                await book_within(database, conn, made, amount_nanos, "credit at creation")

        made = await identity.create_user(
            name, email, role, unlimited=unlimited, group=group, limits=rates, along=begin
        )
    if given is not None:
        await account.set_password(settings, made.name, given)
    if json:
        as_json(made)
    else:
        note(f"made user {printable(made.name)} (id {made.id})")


async def listing(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """List users, with their roles and states. `trivium team` has teams and service accounts."""
    async with users_and_keys(config.settings_of(config_).storage) as (identity, _):
        users = [each for each in await identity.list_users() if each.kind is UserKind.PERSON]
    if json:
        as_json(users)
    else:
        print(table(HEADS, [_row(user) for user in users]))


def _row(user: User) -> tuple[str, ...]:
    return (
        str(user.id),
        user.name,
        user.email,
        user.role.value,
        "unlimited" if user.unlimited else "balance",
        "disabled" if user.disabled else "enabled",
        moment(user.created_at),
    )


async def disable(user: UserArgument, config_: config.ConfigOption = None) -> None:
    """Refuse all of a user's keys and applications; end logins, consents and tokens for good.

    Running gateways follow within two seconds.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        found = await identity.disable_user(user, act_log(database).within)
    note(f"disabled user {printable(found.name)}")


async def enable(user: UserArgument, config_: config.ConfigOption = None) -> None:
    """Accept a user's keys again, and let their applications work.

    Keys that were revoked stay so.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        found = await identity.enable_user(user, act_log(database).within)
    note(f"enabled user {printable(found.name)}")
