"""``trivium team budget``: what teams, their members and their service accounts may spend."""

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from trivium.cli import config, key, limits, team
from trivium.cli.audit import act_log
from trivium.cli.output import CommandFailed, as_json, moment, note, printable, table, warn
from trivium.cli.team import plain_budget, teams_of
from trivium.clock import SystemClock
from trivium.identity.teams.model import member_scope, tag_scope, team_scope
from trivium.ledger.amounts import format_usd
from trivium.settings.budget import FOREVER, UTC_NAME, Budget, CounterId, Period, bounds

if TYPE_CHECKING:
    from trivium.identity.service import Identity
    from trivium.identity.teams.service import Teams

HEADS: Final = ("OF", "AMOUNT", "PERIOD", "SPENT", "LEFT", "RESETS", "KIND", "INSTEAD")

ALL_KEYS: Final = "/"
"""In the place of a team: all keys there are, of which tags may have budgets."""

Whose = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="A team, or a service account: acme/research/nightly; / for all keys."
    ),
]
MemberOption = Annotated[
    str | None, typer.Option("--member", metavar="USER", help="A member of the team instead.")
]

TagOption = Annotated[
    str | None,
    typer.Option(metavar="TAG", help="Requests with this tag, in the team and those below."),
]


async def put(
    whose: Whose,
    budget: Annotated[
        str,
        typer.Argument(
            metavar="AMOUNT/PERIOD",
            help="US dollars and day, week, month, total, 5h or 7d: 100.00/month.",
        ),
    ],
    *,
    member: MemberOption = None,
    tag: TagOption = None,
    soft: Annotated[
        bool, typer.Option("--soft", help="People are told, and nobody is refused.")
    ] = False,
    zone: Annotated[
        str, typer.Option(metavar="ZONE", help="Where days begin: Europe/Berlin.")
    ] = UTC_NAME,
    instead: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Answers once it is spent, in place of a refusal.",
            show_default=False,
        ),
    ] = "",
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Set the budget of a period. What was spent in the period before counts."""
    settings = config.settings_of(config_)
    read = msgspec.structs.replace(limits.budget(budget), soft=soft, zone=zone, instead=instead)
    async with teams_of(settings.storage) as (teams, identity, database):
        team_id, scope, name = await _scope(teams, identity, whose, member, tag)
        log_act = act_log(database).within
        named = msgspec.structs.replace(read, scope=scope)
        made = await teams.set_budget(team_id, named, log_act)
    if json:
        as_json(plain_budget(made, name))
    else:
        note(f"budget of {printable(name)}: {limits.said(made)}")
    if instead and key.unknown((instead,), settings):
        warn(f"no model in the settings is called {instead}; the budget is set all the same")


async def clear(
    whose: Whose,
    period: Annotated[Period, typer.Argument(metavar="PERIOD", help="Whose budget ends.")],
    *,
    member: MemberOption = None,
    tag: TagOption = None,
    config_: config.ConfigOption = None,
) -> None:
    """End a budget; what was spent of it stays counted in the ledger's entries."""
    async with teams_of(config.settings_of(config_).storage) as (teams, identity, database):
        team_id, scope, name = await _scope(teams, identity, whose, member, tag)
        await teams.drop_budget(team_id, scope, period, act_log(database).within)
    note(f"{printable(name)} has no budget for {period.value} any more")


async def listing(
    whose: Annotated[
        str | None, typer.Argument(metavar="TEAM", help="Only of this team and those below.")
    ] = None,
    *,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List budgets with what is spent of them, as far as it is booked."""
    from trivium.ledger.budgets import store

    async with teams_of(config.settings_of(config_).storage) as (teams, _, database):
        found = await teams.all()
        ids = [each.id for each in found.all()]
        if whose is not None:
            ids = found.below((await teams.find(whose)).id)
        named = await teams.scopes(ids)
        if whose is None:
            named |= await teams.everywhere()
        budgets = await teams.budgets(list(named))
        async with database.read() as conn:
            spent = await store.counted(conn, list(named))
    now = SystemClock().now()
    rows = []
    for each in budgets:
        starts_at, ends_at = bounds(each.period, now, each.zone)
        nanos, _ = spent.get(CounterId(each.scope, each.period.value, starts_at), (0, 0))
        rows.append((named[each.scope], each, nanos, ends_at))
    rows.sort(key=lambda row: row[0].split("/"))
    if json:
        as_json(
            [
                {
                    **plain_budget(each, name),
                    "spent": format_usd(nanos),
                    "resets_at": None if ends_at >= FOREVER else ends_at,
                }
                for name, each, nanos, ends_at in rows
            ]
        )
        return
    print(table(HEADS, [_row(*row) for row in rows]))


def _row(name: str, budget: Budget, spent: int, ends_at: int) -> tuple[str, ...]:
    return (
        name,
        format_usd(budget.amount_nanos),
        budget.period.value,
        format_usd(spent),
        format_usd(max(0, budget.amount_nanos - spent)),
        "-" if ends_at >= FOREVER else moment(ends_at),
        "soft" if budget.soft else "hard",
        budget.instead or "-",
    )


async def _scope(
    teams: "Teams", identity: "Identity", whose: str, member: str | None, tag: str | None
) -> tuple[int | None, str, str]:
    """The team, the scope as counters name it, and its name for people."""
    if whose == ALL_KEYS:
        if tag is None or member is not None:
            raise CommandFailed("over all keys there are budgets of tags alone: --tag TAG", code=2)
        return None, tag_scope(None, tag), f"tag {tag}"
    if tag is not None:
        if member is not None:
            raise CommandFailed("--member and --tag exclude each other", code=2)
        of = await teams.find(whose)
        return of.id, tag_scope(of.id, tag), f"{of.name}, tag {tag}"
    found = await identity.find_user(whose)
    if team.is_service(found):
        if member is not None:
            raise CommandFailed("--member is of a team, not of a service account", code=2)
        assert found.team_id is not None
        return found.team_id, member_scope(found.team_id, found.id), found.name
    of = await teams.find(whose)
    if member is None:
        return of.id, team_scope(of.id), of.name
    who = await identity.find_user(member)
    if who.id not in {each.id for _, each in await teams.members(of.id)}:
        raise CommandFailed(
            f"{printable(who.name)} is no member of {of.name}: "
            f"`trivium team member add {of.name} {printable(who.name)}`"
        )
    return of.id, member_scope(of.id, who.id), f"{of.name}: {who.name}"
