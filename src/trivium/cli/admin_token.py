"""``trivium admin token``: tokens for machines that call the admin API."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.database import users_and_keys
from trivium.cli.output import NONE, CommandFailed, as_json, moment, note, printable, table
from trivium.clock import SystemClock
from trivium.oauth.admin.model import AdminToken, words
from trivium.oauth.errors import RegistrationError
from trivium.settings.workloads import SCOPE_WORDS, AdminScope

if TYPE_CHECKING:
    from trivium.oauth.admin.service import AdminTokens
    from trivium.storage.database import Database

HEADS: Final = (
    *("ID", "NAME", "TOKEN", "SCOPES", "OF", "STATE"),
    *("CREATED", "EXPIRES", "LAST USED"),
)
OVERLAP_HOURS_MAX: Final = 720
TokenArgument = Annotated[int, typer.Argument(metavar="ID", help="As `admin token list` has it.")]
Days = Annotated[int | None, typer.Option(metavar="N", help="How long it lives, from now on.")]


async def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for: `nightly`.")],
    *,
    scope: Annotated[
        list[AdminScope],
        typer.Option(metavar="SCOPE", help=f"{', '.join(SCOPE_WORDS)}; give it once for each."),
    ],
    user: Annotated[
        str | None,
        typer.Option(metavar="USER", help="An administrator it is of, and ends with."),
    ] = None,
    days: Days = None,
    config_: config.ConfigOption = None,
) -> None:
    """Make a token and print it.

    It is shown once, alone on standard output; what is said about it goes to standard error. It
    lives 90 days unless --days says otherwise.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        owner = None if user is None else await identity.find_user(user)
        try:
            token, secret = await _tokens(database).create(
                name,
                frozenset(scope),
                act_log(database),
                days=days,
                user_id=None if owner is None else owner.id,
            )
        except RegistrationError as error:
            raise _failed(error) from None
    print(secret)
    _tell(token)


async def listing(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """List tokens, newest first; those that ended, for 90 days more.

    Their secrets are not stored, so they cannot be shown.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        names = {each.id: each.name for each in await identity.list_users()}
        tokens = await _tokens(database).everything()
    if json:
        as_json([_plain(token, names) for token in tokens])
    else:
        print(table(HEADS, [_row(token, names) for token in tokens]))


async def rotate(
    token_id: TokenArgument,
    *,
    overlap: Annotated[
        float, typer.Option(metavar="HOURS", help="For how long both secrets work.")
    ] = 24.0,
    days: Days = None,
    config_: config.ConfigOption = None,
) -> None:
    """Give a token another secret and print it.

    It is shown once, alone on standard output. The token ends when it would have, unless --days
    says otherwise.
    """
    if not 0 <= overlap <= OVERLAP_HOURS_MAX:
        raise CommandFailed(f"--overlap must be 0 to {OVERLAP_HOURS_MAX} hours", code=2)
    async with users_and_keys(config.settings_of(config_).storage) as (_, database):
        try:
            token, secret = await _tokens(database).rotate(
                token_id, act_log(database), overlap_s=int(overlap * 3600), days=days
            )
        except RegistrationError as error:
            raise _failed(error) from None
    print(secret)
    _tell(token)
    if token.former_until is not None:
        note(f"The secret before works until {moment(token.former_until)}.")


async def revoke(token_id: TokenArgument, config_: config.ConfigOption = None) -> None:
    """Refuse a token, and those that it made, from its next request on, for good."""
    async with users_and_keys(config.settings_of(config_).storage) as (_, database):
        try:
            token = await _tokens(database).revoke(token_id, act_log(database))
        except RegistrationError as error:
            raise _failed(error) from None
    note(f"revoked token {token.id} ({printable(token.name)})")


def _tokens(database: "Database") -> "AdminTokens":
    from trivium.oauth.admin.service import AdminTokens

    return AdminTokens(database, SystemClock())


def _failed(error: RegistrationError) -> CommandFailed:
    if error.field in ("days", "name", "scopes"):
        return CommandFailed(str(error), code=2)
    return CommandFailed(error.message)


def _tell(token: AdminToken) -> None:
    """Print what a new secret may do, to standard error, beside it."""
    note(
        f"token {token.id} ({printable(token.name)}), scopes: {words(token.scopes)}, "
        f"expires: {moment(token.expires_at)}"
    )
    note("This is the only time the token is shown.")


def _plain(token: AdminToken, names: dict[int, str]) -> dict[str, object]:
    plain: dict[str, object] = {name: getattr(token, name) for name in token.__struct_fields__}
    del plain["user_id"]
    plain["user"] = names.get(token.user_id or 0)
    plain["scopes"] = words(token.scopes).split()
    plain["state"] = token.state(SystemClock().now())
    return plain


def _row(token: AdminToken, names: dict[int, str]) -> tuple[str, ...]:
    return (
        str(token.id),
        printable(token.name),
        f"…{token.hint}",
        words(token.scopes),
        NONE if token.user_id is None else names.get(token.user_id, f"user:{token.user_id}"),
        token.state(SystemClock().now()),
        moment(token.created_at),
        moment(token.expires_at),
        moment(token.last_used_at) if token.last_used_at else NONE,
    )
