"""``trivium prices compare``, ``take`` and ``proposals``: prices of the file and of the database,
beside what vendors' lists said when the gateway read them last.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from trivium.cli import config
from trivium.cli.database import opened
from trivium.cli.output import NONE, CommandFailed, as_json, moment, note, printable, table
from trivium.clock import SystemClock

if TYPE_CHECKING:
    from pathlib import Path

    from trivium.catalogue.pricing.service import AdoptedPrices, PriceService
    from trivium.catalogue.pricing.sheet import OfferView, PriceStanding
    from trivium.ledger.suggestions.vendor import VendorList
    from trivium.routing.model import Catalogue, Channel, Model
    from trivium.settings.model import Settings

HEADS: Final = ("MODEL", "WHERE", "SET", "VENDOR", "SUGGESTED", "STATE", "MADE")
PROPOSED: Final = ("ID", "MODEL", "CHANGE", "SAYS", "FOUND", "MADE")
PROPOSALS_MAX: Final = 200


async def compare(
    *,
    differing: Annotated[
        bool, typer.Option("--differing", help="Only models whose price could be another.")
    ] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Compare prices of file and database with others'.

    Input and output by the million tokens, in US dollars. Vendors' lists are as the gateway read
    them last.
    """
    async with _prices(config_) as prices:
        sheet = await prices.sheet()
    found = [each for each in sheet.standings if not differing or each.state.value == "differs"]
    if json:
        as_json({"looked_at": sheet.looked_at, "models": [_plain(each) for each in found]})
        return
    print(table(HEADS, [_row(each) for each in found]))
    looked = "never" if sheet.looked_at is None else moment(sheet.looked_at)
    note(f"suggestions: {sheet.source} of {sheet.date}; vendors' lists were read: {looked}")


async def take(
    model: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL...]", help="Models of the database.")
    ] = None,
    *,
    all_: Annotated[
        bool, typer.Option("--all", help="All that differ and were not made by hand.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also prices that were made by hand.")
    ] = False,
    since: Annotated[
        str | None, typer.Option(metavar="DAY", help="From this day on. Default: now.")
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Kept with the change.")] = "",
    config_: config.ConfigOption = None,
) -> None:
    """Adopt offered prices in the database.

    Running gateways have them within two seconds. The settings file is yours: see `prices adopt`.
    """
    from trivium.catalogue.documents import DocumentError
    from trivium.catalogue.model import CatalogueError, ChangeAuthor
    from trivium.catalogue.pricing.service import PriceChoice

    if all_ == bool(model):
        raise CommandFailed("name models, or give --all")
    if all_ and replace:
        raise CommandFailed("--replace is for models that are named, never for --all")
    choices = [PriceChoice(model=name, replaces=replace) for name in dict.fromkeys(model or ())]
    author = ChangeAuthor(agent="command line")
    async with _prices(config_) as prices:
        try:
            done = await prices.adopt(None if all_ else choices, author, since=since, reason=reason)
        except (CatalogueError, DocumentError) as error:
            raise CommandFailed(" ".join(str(error).splitlines())) from None
    _say(done)


async def proposals(
    *, config_: config.ConfigOption = None, json: config.JsonOption = False
) -> None:
    """List proposals that nobody has decided.

    They are made by the nightly look (prices.nightly), and decided on the page or over the API.
    """
    async with _prices(config_) as prices:
        found = await prices.proposals(limit=PROPOSALS_MAX)
    if json:
        as_json({"proposals": found})
        return
    rows = [
        (
            str(each.id),
            each.model,
            ", ".join(
                f"{line.kind} {line.now or NONE} -> {line.then or NONE}" for line in each.lines[:3]
            ),
            f"{each.origin.source.value} {each.origin.place}",
            moment(each.found_at),
            "by hand" if each.is_by_hand else "adopted",
        )
        for each in found
    ]
    print(table(PROPOSED, rows))


@asynccontextmanager
async def _prices(config_: "Path | None") -> AsyncIterator["PriceService"]:
    """What compares and adopts, over the file and the database."""
    from trivium.routing.reload import FileWatch, SettingsReader
    from trivium.wiring.catalogue import stored_parts
    from trivium.wiring.prices import price_parts

    loaded, path = config.read(config_)
    settings = loaded.settings
    reader = SettingsReader(path)
    first = reader.read()
    now = {"catalogue": first[1]}

    def swap(read: "Settings", new: "Catalogue") -> None:
        del read
        now["catalogue"] = new

    def served() -> "Iterable[Model]":
        return now["catalogue"].models.values()

    async def unread(channel: "Channel", wanted: frozenset[str]) -> "VendorList":
        del wanted
        raise CommandFailed(f"{channel.name} is asked by running gateways")

    async with opened(settings.storage) as database:
        clock = SystemClock()
        parts = stored_parts(settings, database, reader, FileWatch(reader, first, swap))
        _, now["catalogue"] = await parts.begin(*first)
        service = parts.service(clock)
        found = price_parts(settings, database, clock, service, served, unread)
        yield found.prices


def _row(each: "PriceStanding") -> tuple[str, ...]:
    offers = {view.offer.origin.source.value: view for view in reversed(each.offers)}
    made = "by hand" if each.is_by_hand else NONE if each.origin is None else each.origin.place
    return (
        each.name,
        each.place or f"database, version {each.version}",
        NONE if each.row is None else _both(each.row.price),
        _offered(offers.get("vendor")),
        _offered(offers.get("bundled")),
        each.state.value,
        made,
    )


def _offered(view: "OfferView | None") -> str:
    if view is None:
        return NONE
    return _both(view.offer.suggestion.at(SystemClock().now()).price)


def _both(price: Any) -> str:
    """Input and output, or whatever comes first."""
    from decimal import Decimal

    said = {kind: format(Decimal(value).normalize(), "f") for kind, value in price.items()}
    if "input" not in said:
        return " ".join(next(iter(said.items()), (NONE,)))
    return f"{said['input']} / {said['output']}" if "output" in said else said["input"]


def _plain(each: "PriceStanding") -> dict[str, Any]:
    return {
        "model": each.name,
        "place": each.place or None,
        "version": each.version,
        "by_hand": each.is_by_hand,
        "adopted": each.origin,
        "state": each.state.value,
        "kept": each.kept or None,
        "offers": [
            {
                "channel": view.offer.channel,
                "source": view.offer.origin.source.value,
                "place": view.offer.origin.place,
                "day": view.offer.origin.day,
                "digest": view.digest,
                "lists": view.offer.suggestion.lists,
            }
            for view in each.offers
        ],
    }


def _say(done: "AdoptedPrices") -> None:
    for name, why in done.skipped:
        note(f"{printable(name)} stays: {why}")
    if done.done is None or done.done.change_id is None:
        note("nothing differs that could be adopted")
        return
    note(f"change {done.done.change_id}: adopted for {', '.join(map(printable, done.models))}")
