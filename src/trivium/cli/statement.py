"""``trivium statement``: what was spent, by team, model, tag or whatever one wants to know."""

from datetime import UTC, datetime
from enum import Enum, unique
from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.output import CommandFailed, as_csv, as_json, note, table
from trivium.cli.team import teams_of
from trivium.clock import SystemClock
from trivium.ledger.amounts import format_usd
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import DAY_S, Dimension, SpendScope, SpendSums
from trivium.ledger.spending.service import ROWS_MAX, SpendStatement, SpendStatements, dimensions
from trivium.ledger.spreadsheet import spreadsheet_cell
from trivium.settings.prices import day

if TYPE_CHECKING:
    from trivium.identity.service import Identity
    from trivium.identity.teams.service import Teams


@unique
class StatementFormat(Enum):
    """How a statement is printed."""

    TABLE = "table"
    CSV = "csv"
    FOCUS = "focus"
    JSON = "json"


TABLE_ROWS: Final = 1_000
"""Rows of a table for people, unless they ask for more."""


async def statement(
    *,
    by: Annotated[
        str,
        typer.Option(
            metavar="WHAT,…",
            help="day, payer, team, user, key, model, channel, end_user, session, tag or tags; up "
            "to four.",
        ),
    ] = "team,model",
    since: Annotated[
        str | None,
        typer.Option("--from", metavar="DAY", help="The first day, UTC: 2027-01-01. The month's."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="DAY", help="The last day. Today.")
    ] = None,
    team: Annotated[
        str | None, typer.Option(metavar="TEAM", help="Only of this team and those below.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="USER", help="Only what this user asked for.")
    ] = None,
    format_: Annotated[
        StatementFormat, typer.Option("--format", metavar="FORMAT", help="table, csv, focus, json.")
    ] = StatementFormat.TABLE,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=ROWS_MAX, help="The most rows.")
    ] = None,
    config_: config.ConfigOption = None,
) -> None:
    """Say what was spent, the most expensive first. Amounts are those of the ledger's entries."""
    wanted = dimensions(by)
    if format_ is StatementFormat.FOCUS:
        wanted = rendering.focus_by(wanted)
    async with teams_of(config.settings_of(config_).storage) as (teams, identity, database):
        scope = await _scope(teams, identity, since, until, team, user)
        most = limit or (TABLE_ROWS if format_ is StatementFormat.TABLE else ROWS_MAX)
        found = await SpendStatements(database).statement(scope, wanted, most)
    _print(found, format_)
    if not found.is_whole:
        note(f"there are more rows than these {len(found.rows)}; the total is of all")


async def _scope(
    teams: "Teams",
    identity: "Identity",
    since: str | None,
    until: str | None,
    team: str | None,
    user: str | None,
) -> SpendScope:
    today = datetime.fromtimestamp(SystemClock().now(), UTC)
    last = int(today.timestamp()) // DAY_S if until is None else _day(until, "--to")
    month = datetime.fromtimestamp(last * DAY_S, UTC).replace(day=1)
    first = int(month.timestamp()) // DAY_S if since is None else _day(since, "--from")
    team_ids = user_id = None
    if team is not None:
        team_ids = tuple((await teams.all()).below((await teams.find(team)).id))
    if user is not None:
        user_id = (await identity.find_user(user)).id
    return SpendScope(since=first, until=last, team_ids=team_ids, user_id=user_id)


def _day(text: str, option: str) -> int:
    try:
        return day(text) // DAY_S
    except ValueError:
        raise CommandFailed(f"{option} must be a day, such as 2027-01-01", code=2) from None


def _print(found: SpendStatement, format_: StatementFormat) -> None:
    if format_ is StatementFormat.JSON:
        as_json(rendering.plain(found))
    elif format_ is StatementFormat.CSV:
        write = as_csv(rendering.heads(found))
        write([spreadsheet_cell(c) for c in rendering.cells(found, row)] for row in found.rows)
    elif format_ is StatementFormat.FOCUS:
        write = as_csv(rendering.FOCUS_COLUMNS)
        write([spreadsheet_cell(c) for c in row] for row in rendering.focus_rows(found))
    else:
        print(_table(found))


def _table(found: SpendStatement) -> str:
    heads = [*(each.value.upper() for each in found.by), "USD", "REQUESTS", "INPUT", "OUTPUT"]
    rows = []
    for row in found.rows:
        values = zip(found.by, row.values, strict=True)
        named = [_said(found, each, value) for each, value in values]
        rows.append((*named, *_numbers(row.sums)))
    rows.append(("total", *("" for _ in found.by[1:]), *_numbers(found.total)))
    return table(heads, rows)


def _said(found: SpendStatement, each: Dimension, value: int | str) -> str:
    shown = rendering.shown(found, each, value)
    if shown or not value:
        return shown or "-"
    return f"id:{value}"


def _numbers(sums: SpendSums) -> tuple[str, ...]:
    return (
        format_usd(sums.nanos),
        str(sums.requests),
        str(sums.input_tokens),
        str(sums.output_tokens),
    )
