"""``trivium ledger reconcile``: a vendor's own account of a time beside ours."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Final

import typer

from trivium.cli import config, served
from trivium.cli.database import users_and_keys
from trivium.cli.output import CommandFailed, as_json, counted, note, printable, table, warn
from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.compare import ReconciledLine, compare, ours, spans, theirs
from trivium.ledger.reconcile.model import COST, Export
from trivium.ledger.reconcile.read import read
from trivium.settings.model import Settings
from trivium.settings.prices import DECIMAL

HEADS: Final = ("DAYS", "MODEL", "WHAT", "VENDOR", "OURS", "DIFFERENCE")
_CENT: Final = 10**6
"""Millionths of a dollar: how exactly costs are shown."""


async def reconcile(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A vendor's export of usage or costs.")
    ],
    *,
    channel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHANNEL",
            help="A channel of that account; once for each. Without, all of that vendor's.",
        ),
    ] = None,
    vendor_key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Only lines of this API key, as the export names it."),
    ] = None,
    tolerance: Annotated[
        str, typer.Option(metavar="PERCENT", help="How far apart two sums may be.")
    ] = "1",
    all_: Annotated[bool, typer.Option("--all", help="Show what agrees, too.")] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Compare a vendor's usage export with our records, by model and day.

    Fails when a sum of tokens, requests or dollars is further apart than the tolerance.
    """
    if not DECIMAL.fullmatch(tolerance):
        raise CommandFailed("--tolerance must be a plain number of percent, such as 0.5", code=2)
    export = _read(file)
    loaded, _ = await served.read_now(config_)
    settings = loaded.settings
    channels = _channels(settings, export, channel)
    try:
        found = spans(export)
    except LedgerError as exc:
        raise CommandFailed(f"{file} {exc}") from None
    vendor = theirs(export, vendor_key)
    if not vendor:
        raise CommandFailed(f"{file} has no lines" + (" of that key" if vendor_key else ""))
    async with users_and_keys(settings.storage) as (_, database):
        own, missing = await ours(database, channels, found)
    lines = list(compare(vendor, own, Fraction(tolerance) / 100))
    _tell(export, channels, [line for line in lines if all_ or line.beyond], missing, json=json)
    apart = sum(line.beyond for line in lines)
    if apart:
        raise CommandFailed(f"{apart} of {len(lines)} sums are more than {tolerance}% apart")


def _read(file: Path) -> Export:
    try:
        return read(file.read_bytes())
    except OSError as exc:
        raise CommandFailed(f"{file}: cannot be read: {exc.strerror}") from None
    except LedgerError as exc:
        raise CommandFailed(f"{file} {exc}") from None


def _channels(settings: Settings, export: Export, named: list[str] | None) -> list[str]:
    """Return the channels whose records are compared. Raises Failed where there are none."""
    known = {entry.name for entry in settings.channels}
    strange = sorted(set(named or ()) - known)
    if strange:
        raise CommandFailed(
            f"--channel: no channel of settings and database is called {printable(strange[0])}"
        )
    mine = [e.name for e in settings.channels if e.provider in export.providers]
    if not named and not mine:
        raise CommandFailed(
            f"no channel has the provider {export.providers[0]}: name one with --channel"
        )
    return named or mine


def _tell(
    export: Export,
    channels: Sequence[str],
    lines: Sequence[ReconciledLine],
    missing: int,
    *,
    json: bool,
) -> None:
    if json:
        as_json(
            {
                "form": export.form,
                "channels": channels,
                "unrecorded": missing,
                "lines": [
                    {
                        "first": str(line.span.first),
                        "last": str(line.span.last),
                        "model": line.model or None,
                        "kind": line.kind,
                        "vendor": _shown(line.kind, line.theirs),
                        "ours": _shown(line.kind, line.ours),
                        "difference": _shown(line.kind, line.theirs - line.ours),
                        "beyond": line.beyond,
                    }
                    for line in lines
                ],
            }
        )
    else:
        if lines:
            print(table(HEADS, [_row(line) for line in lines]))
        note(f"{export.form}, beside {', '.join(map(printable, channels))}")
    if missing:
        said = counted(missing, "entry", "entries")
        warn(f"{said} of these days without a request record any more: not in ours")


def _row(line: ReconciledLine) -> tuple[str, ...]:
    return (
        str(line.span),
        line.model or "(all)",
        line.kind,
        _shown(line.kind, line.theirs),
        _shown(line.kind, line.ours),
        _shown(line.kind, line.theirs - line.ours, sign="+"),
    )


def _shown(kind: str, amount: Fraction, sign: str = "") -> str:
    """Format counts as whole numbers, dollars to the millionth."""
    scale = _CENT if kind == COST else 1
    whole, rest = divmod(abs(round(amount * scale)), scale)
    text = f"{whole}.{rest:06d}" if kind == COST else str(whole)
    minus = round(amount * scale) < 0
    return f"{'-' if minus else sign}{text}"
