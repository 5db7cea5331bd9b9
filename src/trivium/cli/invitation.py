"""``trivium team invite``: people who are invited to a team by a letter."""

from typing import Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.account import people
from trivium.cli.audit import act_log
from trivium.cli.member import Role
from trivium.cli.output import CommandFailed, as_json, moment, note, printable, table
from trivium.cli.team import TeamArgument, teams_of
from trivium.identity.teams.model import TeamRole

HEADS: Final = ("ID", "EMAIL", "ROLE", "CREATED", "EXPIRES")


async def invite(
    team: TeamArgument,
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="Whom the letter goes to.")],
    *,
    role: Role = TeamRole.MEMBER,
    language: Annotated[str, typer.Option(metavar="L", help="Of the letter.")] = "en",
    config_: config.ConfigOption = None,
) -> None:
    """Invite somebody to a team: a letter goes to their address, with a link that works once.

    Needs [mail]. Who has no account can make one by the link unless accounts.signup is "closed".
    """
    settings = config.settings_of(config_)
    async with teams_of(settings.storage) as (teams, _, _):
        found = await teams.find(team)
    async with people(settings) as (accounts, _, database):
        made = await accounts.team_invitations.invite(
            found.id, email, role, language=language, log_act=act_log(database).within
        )
    note(
        f"sent invitation {made.id} to {printable(made.email)}: {role.value} of "
        f"{printable(found.name)}, until {moment(made.expires_at)}"
    )


async def listing(
    team: TeamArgument, config_: config.ConfigOption = None, *, json: config.JsonOption = False
) -> None:
    """List a team's invitations that can still be used."""
    settings = config.settings_of(config_)
    async with teams_of(settings.storage) as (teams, _, _):
        found = await teams.find(team)
    async with people(settings) as (accounts, _, _):
        invitations = await accounts.team_invitations.all(found.id)
    if json:
        as_json(invitations)
        return
    rows = [
        (
            str(each.id),
            each.email,
            each.role.value,
            moment(each.created_at),
            moment(each.expires_at),
        )
        for each in invitations
    ]
    print(table(HEADS, rows))


async def withdraw(
    team: TeamArgument,
    invitation: Annotated[int, typer.Argument(metavar="ID", help="As `team invitations`.")],
    config_: config.ConfigOption = None,
) -> None:
    """Withdraw an invitation: its link leads nowhere."""
    settings = config.settings_of(config_)
    async with teams_of(settings.storage) as (teams, _, _):
        found = await teams.find(team)
    async with people(settings) as (accounts, _, database):
        log_act = act_log(database).within
        if not await accounts.team_invitations.withdraw(found.id, invitation, log_act):
            raise CommandFailed(
                f"{printable(found.name)} has no invitation {invitation} that could still be used"
            )
    note(f"withdrew invitation {invitation}")
