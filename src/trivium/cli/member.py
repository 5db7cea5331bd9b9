"""``trivium team member``: who is in a team, and as what."""

from typing import Annotated

import typer

from trivium.cli import config
from trivium.cli.account import UserArgument
from trivium.cli.audit import act_log
from trivium.cli.output import CommandFailed, as_json, note, printable
from trivium.cli.team import TeamArgument, plain_member, teams_of
from trivium.identity.teams.model import TeamRole

Role = Annotated[
    TeamRole, typer.Option(metavar="ROLE", help="owner, manager, member or billing (reads only).")
]


async def add(
    team: TeamArgument,
    user: UserArgument,
    *,
    role: Role = TeamRole.MEMBER,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make somebody a member of a team. A role holds in the teams below as well."""
    await _put(team, user, role, config_, json=json, is_new=True)


async def change_role(
    team: TeamArgument,
    user: UserArgument,
    role: Annotated[TeamRole, typer.Argument(metavar="ROLE", help="As of `member add`.")],
    *,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Give a member another role. `billing` has no keys: those for the team are revoked."""
    await _put(team, user, role, config_, json=json, is_new=False)


async def _put(
    name: str, user: str, role: TeamRole, config_: config.ConfigOption, *, json: bool, is_new: bool
) -> None:
    async with teams_of(config.settings_of(config_).storage) as (teams, identity, database):
        team, who = await teams.find(name), await identity.find_user(user)
        present = {each.id for _, each in await teams.members(team.id)}
        if is_new and who.id in present:
            raise CommandFailed(
                f"{printable(who.name)} is a member already: "
                f"`trivium team member role {team.name} {printable(who.name)} {role.value}`"
            )
        if not is_new and who.id not in present:
            raise CommandFailed(
                f"{printable(who.name)} is no member: "
                f"`trivium team member add {team.name} {printable(who.name)}`"
            )
        log_act = act_log(database).within
        member = await teams.put_member(team.id, who.id, role, log_act=log_act)
    if json:
        as_json(plain_member(member, who))
    else:
        note(f"{printable(who.name)} is {role.value} of {printable(team.name)}")


async def remove(
    team: TeamArgument, user: UserArgument, config_: config.ConfigOption = None
) -> None:
    """End a membership, and revoke the keys of theirs that spend for the team."""
    async with teams_of(config.settings_of(config_).storage) as (teams, identity, database):
        found, who = await teams.find(team), await identity.find_user(user)
        await teams.remove_member(found.id, who.id, act_log(database).within)
    note(f"{printable(who.name)} is no member of {printable(found.name)} any more")
