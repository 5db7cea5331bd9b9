"""Models that ``trivium channel add`` begins with: those of the vendor's own list, chosen by those
who are asked, at prices that the list or the catalogue of suggestions says.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
import typer

from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.catalogue.pricing.choices import (
    ModelChoice,
    ModelChoices,
    choices,
    is_known,
    offer_of,
    unlisted,
)
from trivium.cli import channel
from trivium.cli.output import NONE, CommandFailed, counted, note, printable, table, warn
from trivium.clock import SystemClock
from trivium.ledger.suggestions.model import PriceCatalogue
from trivium.routing.model import Channel
from trivium.settings.model import UpstreamSettings

if TYPE_CHECKING:
    from trivium.ledger.suggestions.vendor import VendorList

LIMIT_S: Final = 20.0
"""How long a list is waited for, pages and all."""
SHOWN: Final = 20
"""Models that somebody is asked to choose from; others can be named."""
ALL_MAX: Final = 1_000
"""Models that ``--all-listed`` takes."""
WHY_CHARS_MAX: Final = 300
_HEADS: Final = ("", "MODEL", "INPUT", "OUTPUT", "SAYS")
_NOTHING: Final = "none"


class ModelQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of models, and where they would be served."""

    channel: str
    provider: str
    wanted: tuple[str, ...]
    """As they were named; empty: nobody said which."""
    all_listed: bool
    asks: bool
    """Somebody is there to choose."""


async def listed(found: Channel, upstream: UpstreamSettings) -> "VendorList":
    """All that a channel's vendor lists. What is wrong is said in one line."""
    from trivium.pipeline.vendor_models import vendor_list
    from trivium.upstream.request_writer import Composer

    async with channel.client_of(upstream) as client:
        came = await vendor_list(client, Composer(), SystemClock(), found, None, LIMIT_S)
    if not is_known(came):
        why = " ".join(came.why.split())[:WHY_CHARS_MAX] or "it is empty"
        note(f"the vendor's list of models is not used: {why}")
    return came


def documents(
    question: ModelQuestion,
    suggestions: PriceCatalogue,
    found: "VendorList | None",
    taken: Collection[EntryName],
) -> dict[EntryName, Any]:
    """Models of the channel at the prices that are known. What is left out, and what the vendor
    does not list, is said. ``found``: what the vendor lists; ``None``: it was not asked.

    Raises CommandFailed where all that is listed was wanted and nothing is known to be.
    """
    names = _names(question, suggestions, found)
    made: dict[EntryName, Any] = {}
    for name in names:
        at = EntryName(CatalogueKind.MODEL.value, name)
        offer = offer_of(question.channel, question.provider, suggestions, found, name)
        if at in taken:
            note(
                f"{printable(name)} is there already and stays as it is: bind it to "
                f"{question.channel} yourself"
            )
        elif offer is None:
            where = printable(question.provider)
            warn(f"{printable(name)} is left out: no price is known for it at {where}")
        else:
            priced = offer.adopted({}, SystemClock().now())
            made[at] = {**priced, "bindings": [{"channel": question.channel}]}
            if left_out := offer.suggestion.left_out:
                note(f"{printable(name)}: its price does not say {', '.join(left_out[:5])}")
    if not made:
        note(
            f"no model comes with {question.channel}: add some with `trivium config apply` or in "
            "the console"
        )
    return made


def _names(
    question: ModelQuestion, suggestions: PriceCatalogue, found: "VendorList | None"
) -> Sequence[str]:
    has_list = found is not None and is_known(found)
    if question.all_listed and not has_list:
        raise CommandFailed("--all-listed needs the vendor's list of models, which is not known")
    if question.wanted:
        return _told(question.wanted, found)
    there = choices(question.channel, question.provider, suggestions, found)
    if has_list and found is not None:
        priced = counted(len(there.found), "model")
        note(f"{question.channel} lists {counted(found.listed, 'model')}; {priced} with a price")
    if question.all_listed:
        if len(there.found) > ALL_MAX:
            note(f"the first {ALL_MAX:,} of them are taken: name others with --model")
        return [each.name for each in there.found[:ALL_MAX]]
    for name in there.left_out:
        note(f"{printable(name)} is left out: the vendor does not list it")
    if not (question.asks and has_list and there.found):
        return there.proposed
    return _told(_chosen(there), found)


def _told(names: Sequence[str], found: "VendorList | None") -> Sequence[str]:
    """The same names; those that the vendor does not list are warned about, and kept."""
    for name in () if found is None else unlisted(found, names):
        warn(f"the vendor does not list {printable(name)}, which may be wrong")
    return tuple(dict.fromkeys(names))


def _chosen(there: ModelChoices) -> Sequence[str]:
    """What somebody chooses of a numbered list. Raises CommandFailed for a number it has not."""
    shown = _first(there)
    note(table(_HEADS, [_row(i + 1, each) for i, each in enumerate(shown)]))
    if len(there.found) > len(shown):
        note(f"and {len(there.found) - len(shown)} more, by their names")
    usual = ",".join(str(i + 1) for i, each in enumerate(shown) if each.name in there.proposed)
    asked = f"Models, by number or name ({_NOTHING}: no model)"
    said = typer.prompt(asked, default=usual or _NOTHING, err=True)
    words = [word for word in re.split(r"[,\s]+", said) if word]
    return [] if words == [_NOTHING] else [_meant(word, shown) for word in words]


def _first(there: ModelChoices) -> Sequence[ModelChoice]:
    """Those that are proposed, then others."""
    by_name = {each.name: each for each in there.found}
    proposed = [by_name[name] for name in there.proposed if name in by_name]
    others = [each for each in there.found if each.name not in there.proposed]
    return [*proposed, *others][:SHOWN]


def _meant(word: str, shown: Sequence[ModelChoice]) -> str:
    if not (word.isascii() and word.isdigit() and len(word) <= 4):
        return word
    number = int(word)
    if not 1 <= number <= len(shown):
        raise CommandFailed(f"there is no model {number}: the list has {len(shown)}")
    return shown[number - 1].name


def _row(number: int, each: ModelChoice) -> tuple[str, ...]:
    price: Mapping[str, str] = each.offer.suggestion.at(SystemClock().now()).price
    says = each.offer.origin.source.value
    return str(number), each.name, price.get("input", NONE), price.get("output", NONE), says
