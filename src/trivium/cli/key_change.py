"""``trivium key``, the part that changes a key that is there: its terms, a pause, and its end."""

from collections.abc import Awaitable, Callable
from enum import Enum, unique
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from trivium.cli import config, key, limits
from trivium.cli.audit import act_log
from trivium.cli.database import users_and_keys
from trivium.cli.output import CommandFailed, moment, note, printable, warn
from trivium.clock import SystemClock
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.terms import Terms
from trivium.observe.audit.model import ActKind
from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits
from trivium.settings.limits import limits as rates_of
from trivium.settings.model import Settings

if TYPE_CHECKING:
    from trivium.identity.user_keys import OwnKeys

KeyArgument = Annotated[
    str,
    typer.Argument(
        metavar="KEY", help="Its id, its name, its last four characters, or the key itself."
    ),
]


@unique
class Bound(Enum):
    """A limit that can be taken away from a key; the option that sets it has the same name."""

    MODEL = "model"
    EXPIRES = "expires"
    RPM = "rpm"
    TPM = "tpm"
    CONCURRENCY = "concurrency"
    BUDGET = "budget"
    IP = "ip"
    END_USER_RPM = "end-user-rpm"
    END_USER_BUDGET = "end-user-budget"


_RATES: Final = {Bound.RPM: "requests", Bound.TPM: "tokens", Bound.CONCURRENCY: "concurrency"}


NewName = Annotated[str | None, typer.Option(metavar="NAME", help="Another name.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="A model it may use from now on, instead of those before; once for each.",
    ),
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict/--no-strict", help="Whether what a translation would leave out is refused."
    ),
]
HeaderOnly = Annotated[
    bool | None,
    typer.Option(
        "--header-only/--no-header-only", help="Whether it is refused in an address (?key=)."
    ),
]
Clear = Annotated[
    list[Bound] | None,
    typer.Option(
        metavar="WHAT",
        help="Take away model, expires, rpm, tpm, concurrency, budget, ip, end-user-rpm or "
        "end-user-budget; once for each.",
    ),
]


async def edit(
    which: KeyArgument,
    *,
    name: NewName = None,
    model: Models = None,
    expires: key.Expires = None,
    strict: Strict = None,
    header_only: HeaderOnly = None,
    rpm: limits.Rpm = None,
    tpm: limits.Tpm = None,
    concurrency: limits.Concurrency = None,
    budget: limits.Budgets = None,
    ip: limits.Networks = None,
    end_user_rpm: limits.EndUserRpm = None,
    end_user_budget: limits.EndUserBudgets = None,
    clear: Clear = None,
    config_: config.ConfigOption = None,
) -> None:
    """Change what a key may do; what is not named stays, the key itself as well.

    Running gateways follow within two seconds. Of budgets only the periods that are named change.
    """
    cleared = frozenset(clear or ())
    _check(
        cleared,
        {
            Bound.MODEL: model,
            Bound.EXPIRES: expires,
            Bound.RPM: rpm,
            Bound.TPM: tpm,
            Bound.CONCURRENCY: concurrency,
            Bound.BUDGET: budget,
            Bound.IP: ip,
            Bound.END_USER_RPM: end_user_rpm,
            Bound.END_USER_BUDGET: end_user_budget,
        },
        or_else=name is not None or strict is not None or header_only is not None,
    )
    wanted = {
        "name": name,
        "models": None if model is None else tuple(model),
        "expires_at": None if expires is None else key.last_second(expires),
        "strict": strict,
        "header_only": header_only,
        "networks": None if ip is None else tuple(ip),
        "end_user_requests": end_user_rpm,
    }
    budgets, of_each = limits.budgets(budget), limits.budgets(end_user_budget)
    rates = RateLimits(rpm, tpm, concurrency)

    def change(before: Terms) -> Terms:
        named = {member: value for member, value in wanted.items() if value is not None}
        return msgspec.structs.replace(
            before,
            **_cleared(cleared) | named,
            limits=_rates(before.limits, rates, cleared),
            budgets=_budgets(() if Bound.BUDGET in cleared else before.budgets, budgets),
            end_user_budgets=_budgets(
                () if Bound.END_USER_BUDGET in cleared else before.end_user_budgets, of_each
            ),
        )

    settings = config.settings_of(config_)
    after, members = await _done(settings, which, lambda own, k: own.edit(k.user_id, k.id, change))
    if not members:
        note(f"key {after.id} ({printable(after.name)}) is so already")
        return
    note(f"changed {', '.join(members)} of {key.described(after)}")
    for entry in key.unknown(after.models, settings):
        warn(f"no model in the settings is called {entry}; the key may use it all the same")


async def pause(which: KeyArgument, config_: config.ConfigOption = None) -> None:
    """Refuse a key until it is resumed.

    Running gateways follow within two seconds.
    """
    await _switch(config_, which, paused=True)


async def resume(which: KeyArgument, config_: config.ConfigOption = None) -> None:
    """Accept a key again that was paused."""
    await _switch(config_, which, paused=False)


async def revoke(which: KeyArgument, config_: config.ConfigOption = None) -> None:
    """Refuse a key from now on, for good.

    Running gateways follow within two seconds.
    """
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        gone = await identity.revoke_key(which)
        await act_log(database).add(ActKind.KEY_REVOKED, gone.user_id, f"key:{gone.id}")
    note(f"revoked key {gone.id} ({printable(gone.name)}, …{gone.hint})")


async def rotate(
    which: KeyArgument,
    *,
    overlap: Annotated[
        str, typer.Option(metavar="TIME", help="For how long both work: 24h, 90m, 7d; 0s: not.")
    ] = "24h",
    config_: config.ConfigOption = None,
) -> None:
    """Give a key another secret and print it; the one before works until the overlap's end.

    Limits, budgets and records stay. It is shown once, alone on standard output.
    """
    from trivium.identity.user_keys import OwnKeys

    overlap_s = limits.duration(overlap)
    async with users_and_keys(config.settings_of(config_).storage) as (identity, database):
        found = await identity.find_key(which)
        if found.grant_id is not None:
            raise IdentityError(
                "key", f"id:{found.id} belongs to an application, which gets others"
            )
        own = OwnKeys(database, SystemClock())
        log_act = act_log(database).within
        after, secret = await own.rotate(found.user_id, found.id, overlap_s, log_act)
    print(secret)
    until = "no longer works" if not overlap_s else f"works until {moment(after.former_until)}"
    note(f"key {after.id} ({printable(after.name)}) is …{after.hint} now; …{found.hint} {until}")
    note("This is the only time the key is shown.")


async def _switch(config_: Any, which: str, *, paused: bool) -> None:
    async def act(own: "OwnKeys", found: Key) -> tuple[Key, list[str]]:
        changed = ["paused"] if found.paused is not paused else []
        return await own.switch(found.user_id, found.id, paused=paused), changed

    kind = ActKind.KEY_PAUSED if paused else ActKind.KEY_RESUMED
    after, members = await _done(config.settings_of(config_), which, act, kind)
    said = f"key {after.id} ({printable(after.name)}, …{after.hint})"
    if members:
        note(f"{'paused' if paused else 'resumed'} {said}")
    else:
        note(f"{said} {'is paused already' if paused else 'is not paused'}")


async def _done(
    settings: Settings,
    which: str,
    act: Callable[["OwnKeys", Key], Awaitable[tuple[Key, list[str]]]],
    kind: ActKind = ActKind.KEY_CHANGED,
) -> tuple[Key, list[str]]:
    """Do an act and return the key after it; it is logged if it changed anything."""
    from trivium.identity.user_keys import OwnKeys

    async with users_and_keys(settings.storage) as (identity, database):
        found = await identity.find_key(which)
        if found.grant_id is not None:
            raise IdentityError(
                "key", f"id:{found.id} belongs to an application, whose user says what it may"
            )
        after, members = await act(OwnKeys(database, SystemClock()), found)
        if members:
            detail = {"changed": ", ".join(members)} if kind is ActKind.KEY_CHANGED else None
            await act_log(database).add(kind, after.user_id, f"key:{after.id}", detail)
        return after, members


def _check(cleared: frozenset[Bound], given: dict[Bound, Any], *, or_else: bool) -> None:
    """Refuse a change of nothing, and an option that is both set and cleared. Raises Failed."""
    for bound in cleared:
        # budgets are several: all can be taken away and another one set
        several = bound in (Bound.BUDGET, Bound.END_USER_BUDGET)
        if given[bound] is not None and not several:
            raise CommandFailed(
                f"--{bound.value} and --clear {bound.value} exclude each other", code=2
            )
    if not (cleared or or_else or any(value is not None for value in given.values())):
        raise CommandFailed("say what is to change, such as --rpm 60 or --clear expires", code=2)


def _cleared(bounds: frozenset[Bound]) -> dict[str, Any]:
    gone: dict[str, Any] = {}
    if Bound.MODEL in bounds:
        gone["models"] = ()
    if Bound.EXPIRES in bounds:
        gone["expires_at"] = None
    if Bound.IP in bounds:
        gone["networks"] = ()
    if Bound.END_USER_RPM in bounds:
        gone["end_user_requests"] = None
    return gone


def _rates(
    before: RateLimits | None, wanted: RateLimits, bounds: frozenset[Bound]
) -> RateLimits | None:
    found = before or RateLimits()
    values: dict[str, int | None] = {}
    for bound, member in _RATES.items():
        value = getattr(wanted, member)
        kept = None if bound in bounds else getattr(found, member)
        values[member] = kept if value is None else value
    return rates_of(**values)


def _budgets(before: tuple[Budget, ...], wanted: list[Budget]) -> tuple[Budget, ...]:
    named = {each.period for each in wanted}
    return (*(each for each in before if each.period not in named), *wanted)
