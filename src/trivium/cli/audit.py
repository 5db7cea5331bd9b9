"""``trivium audit``: security-relevant acts, those of this command line among them."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from trivium.cli import config
from trivium.cli.database import users_and_keys
from trivium.cli.output import NONE, as_json, table
from trivium.clock import SystemClock
from trivium.observe.audit.model import COMMAND_LINE, Act, ActKind
from trivium.observe.audit.service import PAGE_MAX, Audit

if TYPE_CHECKING:
    from trivium.identity.revocation import ActLog
    from trivium.storage.database import Database

HEADS: Final = ("ID", "AT", "ACT", "BY", "ON", "WHAT", "FROM", "WITH", "DETAIL")
AGENT_CHARS: Final = 40
"""Of a program's name in the table; ``--json`` has all."""


async def listing(
    *,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="USER", help="What this user did or underwent: a name or an e-mail address."
        ),
    ] = None,
    act: Annotated[
        ActKind | None, typer.Option(metavar="ACT", help="Only this kind, such as key_created.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="How many.", min=1, max=PAGE_MAX)] = 50,
    before: Annotated[
        int | None, typer.Option(metavar="ID", help="Only older ones than this.")
    ] = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List acts, newest first."""
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        names = {each.id: each.name for each in await identity.list_users()}
        user_id = None if user is None else (await identity.find_user(user)).id
        audit = Audit(database, SystemClock())
        acts = await audit.everything(before, limit, kind=act, user_id=user_id)
    if json:
        as_json([_plain(each, names) for each in acts])
    else:
        print(table(HEADS, [_row(each, names) for each in acts]))


def _plain(act: Act, names: dict[int, str]) -> dict[str, object]:
    plain: dict[str, object] = {name: getattr(act, name) for name in act.__struct_fields__}
    plain["actor"] = names.get(act.actor_id or 0)
    plain["subject"] = names.get(act.subject_id or 0)
    plain["detail"] = msgspec.json.decode(act.detail) if act.detail else {}
    return plain


def _row(act: Act, names: dict[int, str]) -> tuple[str, ...]:
    at = datetime.fromtimestamp(act.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return (
        str(act.id),
        at,
        act.kind,
        _who(act.actor_id, names),
        _who(act.subject_id, names),
        act.what or NONE,
        act.address or NONE,
        act.agent[:AGENT_CHARS] or NONE,
        act.detail or NONE,
    )


def _who(user_id: int | None, names: dict[int, str]) -> str:
    return NONE if user_id is None else names.get(user_id, f"user:{user_id}")


def act_log(database: "Database") -> "ActLog":
    """The log of what is done at the command line, where nobody is logged in."""
    from trivium.identity.revocation import ActLog

    return ActLog(Audit(database, SystemClock()), agent=COMMAND_LINE)
