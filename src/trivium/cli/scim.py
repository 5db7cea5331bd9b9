"""``trivium scim token``: tokens by which a directory provisions an organisation."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.output import NONE, as_json, moment, note, printable, table
from trivium.cli.team import TeamArgument, teams_of
from trivium.clock import SystemClock

if TYPE_CHECKING:
    from trivium.identity.scim.model import ScimToken

HEADS: Final = ("ID", "TEAM", "NAME", "HINT", "DOMAINS", "EXPIRES", "LAST USED", "STATE")


async def create(
    team: TeamArgument,
    *,
    name: Annotated[str, typer.Option(metavar="N", help="To tell tokens apart.")] = "default",
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DOMAIN",
            help="A domain of addresses that is the organisation's own; once for each.",
        ),
    ] = None,
    days: Annotated[int, typer.Option(metavar="DAYS", help="How long it works.")] = 365,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make a token for a directory (Okta, Entra, ...), and show it this once.

    It makes and locks accounts, and puts them into teams below TEAM. It never touches an
    administrator, nor an account whose address is not of a domain named here.
    """
    from trivium.identity.scim.tokens import ScimTokens

    async with teams_of(config.settings_of(config_).storage) as (teams, _, database):
        found = await teams.find(team)
        made, secret = await ScimTokens(database, SystemClock()).create(
            found.id, name, domain or (), days, act_log(database).within
        )
    if json:
        as_json({**plain(made, found.name), "token": secret})
        return
    print(secret)
    note(
        f"token {made.id} ({printable(made.name)}) of {printable(found.name)}, domains: "
        f"{', '.join(made.domains) or 'none'}, expires: {moment(made.expires_at)}"
    )
    note("This is the only time the token is shown.")


async def listing(
    team: Annotated[str | None, typer.Argument(metavar="[TEAM]", help="Only of this one.")] = None,
    *,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List tokens of directories, ended ones too."""
    from trivium.identity.scim.tokens import ScimTokens

    now = SystemClock().now()
    async with teams_of(config.settings_of(config_).storage) as (teams, _, database):
        team_id = None if team is None else (await teams.find(team)).id
        names = {each.id: each.name for each in (await teams.all()).all()}
        found = await ScimTokens(database, SystemClock()).all(team_id)
    if json:
        as_json([plain(each, names[each.directory_id]) for each in found])
        return
    rows = [
        (
            str(each.id),
            names[each.directory_id],
            each.name,
            each.hint,
            ",".join(each.domains) or NONE,
            moment(each.expires_at),
            moment(each.last_used_at),
            each.state(now),
        )
        for each in found
    ]
    print(table(HEADS, rows))


async def revoke(
    token: Annotated[int, typer.Argument(metavar="ID", help="As `trivium scim token list`.")],
    *,
    config_: config.ConfigOption = None,
) -> None:
    """Refuse a token from now on. What it has provisioned stays."""
    from trivium.identity.scim.tokens import ScimTokens

    async with teams_of(config.settings_of(config_).storage) as (_, _, database):
        tokens = ScimTokens(database, SystemClock())
        found = await tokens.revoke(token, log_act=act_log(database).within)
    note(f"revoked token {found.id} ({printable(found.name)})")


def plain(token: "ScimToken", team: str) -> dict[str, object]:
    """A token for programs, without its secret."""
    return {
        "id": token.id,
        "team": team,
        "name": token.name,
        "hint": token.hint,
        "domains": token.domains,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
    }
