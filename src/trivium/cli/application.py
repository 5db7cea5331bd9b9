"""``trivium app``: other applications, as the operator treats them."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.database import users_and_keys
from trivium.cli.output import CommandFailed, as_json, moment, note, printable, table
from trivium.clock import SystemClock
from trivium.oauth.apps.model import App, AppStatus
from trivium.oauth.errors import RegistrationError
from trivium.observe.audit.service import Audit
from trivium.settings.section import OAuthSettings as Rules

if TYPE_CHECKING:
    from trivium.oauth.apps.service import Apps
    from trivium.storage.database import Database

HEADS: Final = ("CLIENT ID", "NAME", "OWNER", "STATE", "TRUSTED", "REDIRECT", "CREATED")

ClientArgument = Annotated[str, typer.Argument(metavar="CLIENT_ID", help="As `app list` has it.")]


async def listing(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """List applications, with their owners and states."""
    settings = config.settings_of(config_)
    async with users_and_keys(settings.storage) as (identity, database):
        names = {each.id: each.name for each in await identity.list_users()}
        apps = await _apps(database, settings.oauth).everything()
    if json:
        as_json([_plain(app, names) for app in apps])
    else:
        print(table(HEADS, [_row(app, names) for app in apps]))


async def trust(client_id: ClientArgument, config_: config.ConfigOption = None) -> None:
    """Let an application in without a question where it asks for that.

    Its requests with auto_authorize=true are granted to whoever is logged in.
    """
    await _operate(client_id, config_, trusted=True)


async def distrust(client_id: ClientArgument, config_: config.ConfigOption = None) -> None:
    """Take that back; consent that was given stays."""
    await _operate(client_id, config_, trusted=False)


async def suspend(client_id: ClientArgument, config_: config.ConfigOption = None) -> None:
    """Refuse an application and all its tokens until it is resumed, here and not by its owner."""
    await _operate(client_id, config_, status=AppStatus.BLOCKED)


async def resume(client_id: ClientArgument, config_: config.ConfigOption = None) -> None:
    """Let a suspended application work again."""
    await _operate(client_id, config_, status=AppStatus.ACTIVE)


async def transfer(
    client_id: ClientArgument,
    *,
    to: Annotated[str, typer.Option("--to", metavar="USER", help="A name or an e-mail address.")],
    config_: config.ConfigOption = None,
) -> None:
    """Give an application to another account, as where its developer has left.

    Its tokens go on; users are asked again, as they are shown whose it is. Whoever had it knows its
    secret: have it replaced.
    """
    settings = config.settings_of(config_)
    async with users_and_keys(settings.storage) as (identity, database):
        owner = await identity.find_user(to)
        try:
            apps = _apps(database, settings.oauth)
            app = await apps.transfer(client_id, owner.id)
        except RegistrationError as error:
            raise _failed(client_id, error) from None
    note(
        f"{printable(app.name)} is {printable(owner.name)}'s now; "
        "whoever had it knows its secret: replace it on the Developer page"
    )


async def _operate(
    client_id: str,
    config_: config.ConfigOption,
    *,
    trusted: bool | None = None,
    status: AppStatus | None = None,
) -> None:
    settings = config.settings_of(config_)
    async with users_and_keys(settings.storage) as (_, database):
        try:
            apps = _apps(database, settings.oauth)
            app = await apps.operate(client_id, trusted=trusted, status=status)
        except RegistrationError as error:
            raise _failed(client_id, error) from None
    done = "trusted" if app.trusted else "not trusted"
    note(f"{printable(app.name)} is {app.status.value} and {done}")


def _failed(client_id: str, error: RegistrationError) -> CommandFailed:
    if error.field == "user":
        return CommandFailed(error.message)
    return CommandFailed(f"there is no application {printable(client_id)}")


def _apps(database: "Database", rules: Rules) -> "Apps":
    from trivium.oauth.apps.service import Apps

    clock = SystemClock()
    return Apps(
        database,
        clock,
        Audit(database, clock),
        apps_max=rules.apps_max,
        apps_per_hour=rules.apps_per_hour,
        allow_insecure_redirect=rules.allow_insecure_redirect,
    )


def _plain(app: App, names: dict[int, str]) -> dict[str, object]:
    return {
        "id": app.id,
        "client_id": app.client_id,
        "name": app.name,
        "owner": names.get(app.user_id),
        "status": app.status.value,
        "owner_disabled": app.owner_disabled,
        "trusted": app.trusted,
        "redirect_uri": app.redirect_uri,
        "created_at": app.created_at,
    }


def _row(app: App, names: dict[int, str]) -> tuple[str, ...]:
    return (
        app.client_id,
        printable(app.name),
        names.get(app.user_id, ""),
        "owner disabled" if app.owner_disabled else app.status.value,
        "yes" if app.trusted else "no",
        app.redirect_uri,
        moment(app.created_at),
    )
