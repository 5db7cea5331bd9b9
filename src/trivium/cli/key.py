"""``trivium key``: the secrets that callers present."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

import typer

from trivium.cli import config, limits
from trivium.cli.audit import act_log
from trivium.cli.database import users_and_keys
from trivium.cli.output import NONE, CommandFailed, as_json, moment, note, printable, table, warn
from trivium.identity.model import Key
from trivium.observe.audit.model import ActKind
from trivium.settings.limits import limits as rates_of
from trivium.settings.model import Settings

HEADS: Final = (
    *("ID", "USER", "TEAM", "NAME", "KEY", "MODELS"),
    *("EXPIRES", "LIMITS", "STATE", "CREATED", "LAST USED"),
)

Expires = Annotated[
    str | None,
    typer.Option(
        metavar="DATE", help="2027-01-01 (to the end of that day, UTC) or 2027-01-01T12:00:00Z."
    ),
]
HeaderOnly = Annotated[
    bool,
    typer.Option(
        "--header-only", help="Refuse it in an address (?key=), which browsers and proxies keep."
    ),
]


async def create(
    *,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="USER", help="Whose key: a name or an e-mail, or a service account's name."
        ),
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(metavar="TEAM", help="Which it spends for: acme/research. USER is a member."),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="To tell keys apart in lists.")
    ] = "default",
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A model it may use; give it once for each. A trailing * matches a prefix. "
            "Without any, all models.",
        ),
    ] = None,
    expires: Expires = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse what a translation between shapes would leave out, instead of telling.",
        ),
    ] = False,
    header_only: HeaderOnly = False,
    rpm: limits.Rpm = None,
    tpm: limits.Tpm = None,
    concurrency: limits.Concurrency = None,
    budget: limits.Budgets = None,
    ip: limits.Networks = None,
    end_user_rpm: limits.EndUserRpm = None,
    end_user_budget: limits.EndUserBudgets = None,
    config_: config.ConfigOption = None,
) -> None:
    """Make a key and print it.

    It is shown once, alone on standard output; what is said about it goes to standard error.
    """
    if user is None:
        raise CommandFailed(
            "say whose it is: --user NAME (a person, perhaps with --team NAME, "
            "or a service account such as acme/research/nightly)",
            code=2,
        )
    expires_at = None if expires is None else last_second(expires)
    settings = config.settings_of(config_)
    rates = rates_of(rpm, tpm, concurrency)
    async with users_and_keys(settings.storage) as (identity, database):
        made, secret = await identity.create_key(
            *(user, name, model or [], expires_at),
            strict=strict,
            header_only=header_only,
            limits=rates,
            budgets=limits.budgets(budget),
            networks=ip or [],
            team=team,
            end_user_requests=end_user_rpm,
            end_user_budgets=limits.budgets(end_user_budget),
        )
        await act_log(database).add(ActKind.KEY_CREATED, made.user_id, f"key:{made.id}")
    print(secret)
    _tell(made, user, settings)


def _tell(made: Key, user: str, settings: Settings) -> None:
    """Print what a new key may do, to standard error, beside the secret."""
    note(described(made, f" of {printable(user)}"))
    note("This is the only time the key is shown.")
    for entry in unknown(made.models, settings):
        warn(f"no model in the settings is called {entry}; the key is made all the same")


def described(made: Key, whose: str = "") -> str:
    """A key and what it may do, for people: one line, or two where it is limited."""
    said = (
        f"key {made.id} ({printable(made.name)}){whose}, models: "
        f"{', '.join(made.models) or 'all'}, expires: "
        f"{'never' if made.expires_at is None else moment(made.expires_at)}"
        f"{', strict' if made.strict else ''}{', header only' if made.header_only else ''}"
    )
    bounds = _bounds(made)
    if bounds or made.networks:
        said += f"\nlimits: {bounds or 'none'}"
        said += f"; from {', '.join(made.networks)} only" if made.networks else ""
    return said


def last_second(text: str) -> int:
    """When a key ends: a date counts to its end, a time is UTC's. Raises CommandFailed."""
    try:
        if len(text) == len("2027-01-01"):
            day = date.fromisoformat(text) + timedelta(days=1)
            when = datetime(day.year, day.month, day.day, tzinfo=UTC)
        else:
            when = datetime.fromisoformat(text)
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return int(when.timestamp())
    except (ValueError, OverflowError):
        raise CommandFailed(
            f"--expires must be a date such as 2027-01-01 or 2027-01-01T12:00:00Z, not {text!r}",
            code=2,
        ) from None


def unknown(models: tuple[str, ...], settings: Settings) -> list[str]:
    """Entries of an allow-list that match no model of the settings."""
    names = [entry.name for entry in settings.models]

    def matches(entry: str) -> bool:
        if entry.endswith("*"):
            return any(name.startswith(entry[:-1]) for name in names)
        return entry in names

    return [entry for entry in models if not matches(entry)]


async def listing(
    *,
    user: Annotated[str | None, typer.Option(metavar="USER", help="Only this user's keys.")] = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """List keys, revoked ones too.

    Their secrets are not stored, so they cannot be shown.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (identity, _):
        keys, users = await identity.list_keys(user), await identity.list_users()
    names = {each.id: each.name for each in users}
    if json:
        as_json(
            [
                {"user": names[key.user_id], "team": names.get(key.team_id or 0), **_plain(key)}
                for key in keys
            ]
        )
        return
    print(table(HEADS, [_row(key, names) for key in keys]))


def _plain(key: Key) -> dict[str, object]:
    return {field: getattr(key, field) for field in key.__struct_fields__}


def _row(key: Key, names: dict[int, str]) -> tuple[str, ...]:
    return (
        str(key.id),
        names[key.user_id],
        NONE if key.team_id is None else names[key.team_id],
        key.name,
        f"…{key.hint}",
        ",".join(key.models) or "all",
        moment(key.expires_at) if key.expires_at else "never",
        _limits(key),
        "revoked" if key.disabled else "paused" if key.paused else "enabled",
        moment(key.created_at),
        moment(key.last_used_at) if key.last_used_at else NONE,
    )


def _bounds(key: Key) -> str:
    own = limits.shown(key.limits, key.budgets)
    theirs = limits.each_end_user(key.end_user_requests, key.end_user_budgets)
    return "; ".join(part for part in (own, theirs) if part)


def _limits(key: Key) -> str:
    bounds = _bounds(key)
    places = f"from {', '.join(key.networks)}" if key.networks else ""
    return "; ".join(part for part in (bounds, places) if part) or NONE
