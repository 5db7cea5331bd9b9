"""``trivium prices``: what vendors charge beside what the settings say. Suggests, never applies."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from trivium.cli import config, served
from trivium.cli.output import NONE, CommandFailed, as_json, note, printable, table, warn
from trivium.clock import SystemClock
from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions import update as adopting
from trivium.ledger.suggestions import update as updating
from trivium.ledger.suggestions.compare import Comparison, PriceLine, compare, lines
from trivium.ledger.suggestions.model import PriceCatalogue, Suggestion
from trivium.routing.catalogue import build
from trivium.routing.model import Model
from trivium.secret import Secret
from trivium.settings.load import Loaded

HEADS: Final = ("MODEL", "SUGGESTED FOR", "PRICE OF", "ADOPTED", "SUGGESTED", "DIFFERENCE")


def show(
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Only this model; one that nobody has set up is looked up by this name.",
        ),
    ] = None,
    differing: Annotated[
        bool, typer.Option("--differing", help="Only models whose price is not the suggested one.")
    ] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Show suggested prices beside the adopted ones.

    In US dollars: tokens by the million, everything else each.
    """
    loaded, _ = served.read(config_)
    suggestions = updating.current(_place(loaded))
    now = SystemClock().now()
    models = _models(loaded)
    wanted = list(dict.fromkeys(model)) if model else list(models)
    found: list[Comparison] = []
    for name in wanted:
        if name in models:
            found += compare(suggestions, models[name], now)
        else:
            found += _by_name(suggestions, name, now)
    if differing:
        found = [each for each in found if each.state == "differs"]
    if json:
        as_json(
            {
                "source": suggestions.source,
                "date": suggestions.date,
                "models": [_plain(each) for each in found],
            }
        )
        return
    rows = [row for each in found for row in _rows(each, differing=differing)]
    print(table(HEADS, rows))
    note(f"suggestions: {suggestions.source} of {suggestions.date}; adopted are the settings'")
    for text in dict.fromkeys(f"{e.model}: {c}" for e in found for c in e.left_out if not e.free):
        note(f"not said by these prices: {printable(text)}")


def _by_name(suggestions: PriceCatalogue, name: str, now: float) -> list[Comparison]:
    """Compare a model that the settings do not have, at every vendor that has it."""
    found = []
    for provider in suggestions.providers:
        hit = suggestions.find(provider, name)
        if hit is not None:
            entry, row = hit
            found.append(
                Comparison(
                    model=name,
                    channel="",
                    provider=provider,
                    upstream_model=name,
                    free=False,
                    entry=entry,
                    left_out=row.left_out,
                    lines=tuple(lines(None, row, now)),
                )
            )
    if not found:
        raise CommandFailed(
            f"neither the settings nor the suggestions have a model {printable(name)}"
        )
    return found


def _rows(each: Comparison, *, differing: bool) -> list[tuple[str, ...]]:
    where = f"{each.provider}/{each.entry or each.upstream_model}"
    if each.state in ("free", "unknown"):
        said = "free" if each.free else "no suggestion"
        return [(each.model, where, NONE, NONE, NONE, said)]
    return [
        (
            each.model,
            where,
            line.kind + (f" above {line.above}" if line.above else ""),
            _money(line.adopted),
            _money(line.suggested),
            _difference(line),
        )
        for line in each.lines
        if line.differs or not differing
    ]


def _difference(line: PriceLine) -> str:
    if not line.differs:
        return "same"
    if line.difference is None:
        return "not suggested" if line.suggested is None else "not priced"
    sign = "+" if line.difference > 0 else ""
    return f"{sign}{_money(line.difference)} {line.percent}".rstrip()


def _money(price: Decimal | None) -> str:
    return NONE if price is None else format(price.normalize(), "f")


def _plain(each: Comparison) -> dict[str, Any]:
    plain: dict[str, Any] = {name: getattr(each, name) for name in each.__struct_fields__}
    plain["state"] = each.state
    plain["lines"] = [
        {
            "kind": line.kind,
            "above": line.above,
            "adopted": None if line.adopted is None else _money(line.adopted),
            "suggested": None if line.suggested is None else _money(line.suggested),
            "difference": None if line.difference is None else _money(line.difference),
        }
        for line in each.lines
    ]
    return plain


def adopt(
    model: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...", help="Models of settings or database, or PROVIDER/MODEL."
        ),
    ],
    config_: config.ConfigOption = None,
) -> None:
    """Print suggested prices as lines for the settings file.

    Nothing is changed: paste them into the model's [[models]] table, in place of its price.
    """
    loaded, _ = served.read(config_)
    suggestions = updating.current(_place(loaded))
    now = SystemClock().now()
    models = _models(loaded)
    for name in dict.fromkeys(model):
        compared = [] if name not in models else list(compare(suggestions, models[name], now))
        known = [(each.provider, each.entry) for each in compared if each.entry is not None]
        if name not in models:
            provider, _, upstream = name.partition("/")
            hit = suggestions.find(provider, upstream)
            known = [] if hit is None else [(provider, hit[0])]
        if not known and name not in models:
            whose = [each for each in suggestions.providers if suggestions.find(each, name)]
            if whose:
                raise CommandFailed(
                    f"{printable(name)} is not in the settings: say whose price is meant, such as "
                    f"{whose[0]}/{printable(name)}"
                )
        if not known:
            raise CommandFailed(
                f"there is no suggestion for {printable(name)}: see `trivium prices show`"
            )
        provider, entry = known[0]
        row: Suggestion = suggestions.providers[provider][entry]
        print(adopting.toml(name, suggestions, provider, entry, row, now))
        others = [suggestions.providers[p][e].at(now) for p, e in known[1:]]
        if any(other != row.at(now) for other in others):
            warn(f"the channels of {printable(name)} charge differently: see `trivium prices show`")


def update(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A catalogue on this machine, instead of the one at prices.source.",
        ),
    ] = None,
    config_: config.ConfigOption = None,
) -> None:
    """Take in a newer catalogue of suggestions.

    From prices.source it has to be signed by prices.public_key. Adopted prices stay as they are.
    """
    loaded, _ = config.read(config_)
    settings = loaded.settings.prices
    if file is not None:
        try:
            data = file.read_bytes()
        except OSError as exc:
            raise CommandFailed(f"{file}: cannot be read: {exc.strerror}") from None
        where = str(file)
    elif settings.source and settings.public_key:
        from trivium.ledger.suggestions.update import fetch

        where = settings.source
        data = fetch(where, settings.public_key, loaded.proxy(where))
    else:
        raise CommandFailed(
            "prices.source is not set and no FILE is given: nothing is fetched unasked"
        )
    place = _place(loaded)
    try:
        kept = updating.keep(place, data)
    except LedgerError as exc:
        raise CommandFailed(f"{where} {exc}") from None
    count = sum(len(rows) for rows in kept.providers.values())
    note(f"{count} suggestions: {kept.source} of {kept.date}, kept in {place.name}")
    note("No price has changed: see `trivium prices show --differing`.")


def _models(loaded: Loaded) -> Mapping[str, Model]:
    """The models of settings and database; no channel's key is needed to look at prices."""
    return build(loaded.settings, resolve=lambda *_, **__: Secret("")).models


def _place(loaded: Loaded) -> Path:
    return updating.place(loaded.settings.storage.journal)
