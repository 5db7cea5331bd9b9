"""``trivium team``: organisations, the teams in them, and their service accounts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from trivium.cli import config, limits
from trivium.cli.audit import act_log
from trivium.cli.database import users_and_keys
from trivium.cli.output import NONE, CommandFailed, as_json, note, printable, table
from trivium.clock import SystemClock
from trivium.identity.model import User, UserKind
from trivium.identity.teams.model import Member, Team, TeamMap, member_scope, team_scope
from trivium.ledger.amounts import format_usd
from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits
from trivium.settings.limits import limits as rates_of
from trivium.settings.model import StorageSettings

if TYPE_CHECKING:
    from trivium.identity.service import Identity
    from trivium.identity.teams.service import Teams
    from trivium.storage.database import Database

HEADS: Final = ("ID", "NAME", "PAYS", "MODELS", "LIMITS", "GROUP", "STATE")

TeamArgument = Annotated[
    str, typer.Argument(metavar="TEAM", help="Its whole name: acme, acme/research.")
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="A model its keys may use, of those that the teams above allow; once for each.",
    ),
]


@asynccontextmanager
async def teams_of(storage: StorageSettings) -> "AsyncIterator[tuple[Teams, Identity, Database]]":
    """What there is to do with teams, with users and keys, and the database."""
    from trivium.identity.teams.service import Teams

    async with users_and_keys(storage) as (identity, database):
        yield Teams(database, SystemClock()), identity, database


async def create(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="acme for an organisation, acme/research for a team."),
    ],
    *,
    owner: Annotated[
        str | None, typer.Option(metavar="USER", help="Who owns it: a name or an e-mail.")
    ] = None,
    wallet: Annotated[
        bool, typer.Option("--wallet", help="A balance of its own, as organisations have.")
    ] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make an organisation, or a team in one that there is."""
    above, _, title = name.rpartition("/")
    async with teams_of(config.settings_of(config_).storage) as (teams, identity, database):
        parent = await teams.find(above) if above else None
        owner_id = None if owner is None else (await identity.find_user(owner)).id
        made = await teams.create(
            title,
            None if parent is None else parent.id,
            owner_id,
            has_wallet=wallet,
            log_act=act_log(database).within,
        )
    if json:
        as_json(plain(made))
    else:
        note(f"made {_kind(made)} {printable(made.name)} (id {made.id})")


async def listing(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """List organisations and teams."""
    async with teams_of(config.settings_of(config_).storage) as (teams, _, _):
        found = await teams.all()
    if json:
        as_json([plain(team) for team in found.all()])
    else:
        print(table(HEADS, [_row(team, found) for team in found.all()]))


async def show(
    which: TeamArgument, config_: config.ConfigOption = None, *, json: config.JsonOption = False
) -> None:
    """Show a team: what it may do, who is in it, its service accounts and budgets, what it has."""
    from trivium.ledger.entries import Entries

    async with teams_of(config.settings_of(config_).storage) as (teams, _, database):
        team = await teams.find(which)
        members, services = await teams.members(team.id), await teams.services(team.id)
        found = await teams.all()
        payer = found.payer(team.id)
        balance_nanos = await Entries(database, SystemClock()).balance(payer.id)
    budgets = found.budgets(team_scope(team.id))
    people = {member_scope(team.id, who.id): who.name for _, who in members}
    people |= {member_scope(team.id, who.id): who.name for who in services}
    own = [(people[scope], each) for scope in people for each in found.budgets(scope)]
    if json:
        as_json(
            {
                **plain(team),
                "payer": payer.name,
                "balance": format_usd(balance_nanos),
                "members": [plain_member(member, who) for member, who in members],
                "services": [{"id": who.id, "name": who.name} for who in services],
                "budgets": [
                    *(plain_budget(each, team.name) for each in budgets),
                    *(plain_budget(each, name) for name, each in own),
                ],
            }
        )
        return
    print(table(HEADS, [_row(team, found)]))
    note(f"{printable(payer.name)} pays; its balance is {format_usd(balance_nanos)} USD")
    for member, who in members:
        note(f"{member.role.value}: {printable(who.name)} ({member.source.value})")
    for who in services:
        note(f"service account: {printable(who.name)}")
    for name, each in ((team.name, each) for each in budgets):
        note(f"budget of {printable(name)}: {limits.said(each)}")
    for name, each in own:
        note(f"budget of {printable(name)}: {limits.said(each)}")


async def edit(
    which: TeamArgument,
    *,
    model: Models = None,
    all_models: Annotated[
        bool, typer.Option("--all-models", help="Whatever the teams above allow.")
    ] = False,
    group: Annotated[
        str | None,
        typer.Option(metavar="G", help="Price group, see [groups]; '' for the parent's."),
    ] = None,
    wallet: Annotated[
        bool | None,
        typer.Option("--wallet/--no-wallet", help="A balance of its own, or its parent's."),
    ] = None,
    unlimited: Annotated[
        bool | None,
        typer.Option("--unlimited/--no-unlimited", help="Its wallet spends without a balance."),
    ] = None,
    disable: Annotated[
        bool | None,
        typer.Option("--disable/--enable", help="Refuse its keys and those of all teams below."),
    ] = None,
    claim: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="Of the SSO claim whose people are members; '' none."),
    ] = None,
    rpm: limits.Rpm = None,
    tpm: limits.Tpm = None,
    concurrency: limits.Concurrency = None,
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Take all three away.")] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Change what a team may do; what is not named stays. Running gateways follow in seconds."""
    if model is not None and all_models:
        raise CommandFailed("--model and --all-models exclude each other", code=2)
    rates = rates_of(rpm, tpm, concurrency)
    if rates is not None and no_limits:
        raise CommandFailed("--no-limits and a limit exclude each other", code=2)
    wanted = {
        "models": () if all_models else None if model is None else tuple(model),
        "group": group,
        "has_wallet": wallet,
        "unlimited": unlimited,
        "disabled": disable,
    }
    changes: dict[str, object] = {
        name: value for name, value in wanted.items() if value is not None
    }
    if claim is not None:
        changes["claim"] = claim or None
    async with teams_of(config.settings_of(config_).storage) as (teams, _, database):
        team = await teams.find(which)
        if no_limits:
            changes["limits"] = None
        elif rates is not None:
            changes["limits"] = _merged(team.limits, rates)
        if not changes:
            raise CommandFailed("say what is to change, such as --rpm 60 or --model gpt-5", code=2)
        team = await teams.change(team.id, changes, act_log(database).within)
    if json:
        as_json(plain(team))
    else:
        note(f"changed {', '.join(sorted(changes))} of {printable(team.name)}")


async def create_service(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Behind its team's: acme/research/nightly.")
    ],
    *,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make a service account of a team: it has keys and budgets, and nobody logs in as it."""
    above, _, title = name.rpartition("/")
    if not above:
        raise CommandFailed(
            f"name the team as well, such as acme/{printable(title) or 'nightly'}", code=2
        )
    async with teams_of(config.settings_of(config_).storage) as (teams, _, database):
        team = await teams.find(above)
        made = await teams.create_service(team.id, title, act_log(database).within)
    if json:
        as_json({"id": made.id, "name": made.name, "team": team.name})
    else:
        note(f"made service account {printable(made.name)} (id {made.id})")


def plain(team: Team) -> dict[str, object]:
    """A team for programs."""
    return {
        "id": team.id,
        "name": team.name,
        "parent_id": team.parent_id,
        "has_wallet": team.has_wallet,
        "unlimited": team.unlimited,
        "models": team.models,
        "group": team.group,
        "limits": None if team.limits is None else msgspec.structs.asdict(team.limits),
        "claim": team.claim,
        "disabled": team.disabled,
        "created_at": team.created_at,
    }


def plain_member(member: Member, who: User) -> dict[str, object]:
    """A member for programs."""
    return {
        "id": who.id,
        "name": who.name,
        "email": who.email,
        "role": member.role.value,
        "source": member.source.value,
    }


def plain_budget(budget: Budget, whose: str) -> dict[str, object]:
    """A budget for programs."""
    return {
        "of": whose,
        "amount": format_usd(budget.amount_nanos),
        "period": budget.period.value,
        "zone": budget.zone,
        "soft": budget.soft,
        "instead": budget.instead or None,
    }


def is_service(user: User) -> bool:
    """Whether it is a service account, whose budgets are a member's of its team."""
    return user.kind is UserKind.SERVICE


def _kind(team: Team) -> str:
    return "organisation" if team.parent_id is None else "team"


def _row(team: Team, teams: TeamMap) -> tuple[str, ...]:
    pays = "unlimited" if team.unlimited else "own balance"
    return (
        str(team.id),
        team.name,
        pays if team.has_wallet else teams.payer(team.id).name,
        ",".join(team.models) or ("all" if team.parent_id is None else "as above"),
        limits.shown(team.limits) or NONE,
        team.group or NONE,
        "disabled" if team.disabled else "enabled",
    )


def _merged(before: RateLimits | None, rates: RateLimits) -> RateLimits:
    kept = before or RateLimits()
    return RateLimits(
        rates.requests or kept.requests,
        rates.tokens or kept.tokens,
        rates.concurrency or kept.concurrency,
    )
