"""A new channel begins with models that its vendor lists and that have a price."""

import msgspec
import pytest

from catalogue.pricing.world import SUGGESTED, offered
from trivium.catalogue.pricing import choices as module
from trivium.catalogue.pricing.choices import HANDFUL, choices, is_known, offer_of, unlisted
from trivium.ledger.suggestions.model import read
from trivium.ledger.suggestions.vendor import VendorList

CATALOGUE = read(msgspec.json.encode(SUGGESTED))
BEGIN = ("gpt-y", "gpt-none")


@pytest.fixture(autouse=True)
def _starting(monkeypatch):
    monkeypatch.setattr(module, "starting_models", lambda: {"openai": BEGIN})


def chosen(found, provider="openai"):
    return choices("main", provider, CATALOGUE, found)


def names(there):
    return [each.name for each in there.found]


@pytest.mark.parametrize(
    "found", [None, VendorList(at=1), VendorList(at=1, is_whole=False, why="no answer")]
)
def test_without_a_list_the_suggestions_are_what_there_is(found):
    """Those that people begin with stay, whether or not a price is known."""
    there = chosen(found)
    assert (BEGIN, ()) == (there.proposed, there.left_out)
    assert ["gpt-y", "gpt-x"] == names(there)
    assert [] == unlisted(found, ["x"]) if found is not None else True


def test_what_the_vendor_does_not_list_is_left_out():
    """One that it lists with a version is there; what has no price is not offered."""
    there = chosen(offered(other=None, **{"gpt-y-2026-01-01": None}))
    assert ("gpt-y",) == there.proposed
    assert ("gpt-none",) == there.left_out
    assert ["gpt-y", "gpt-y-2026-01-01"] == names(there)


def test_a_list_that_says_prices_is_proposed_from():
    """Its own prices come before the catalogue's; a handful, in its order."""
    more = {f"m{i}": ("1", "2") for i in range(9)}
    there = chosen(offered(free=None, **more, gpt_y=("7", "8")))
    assert ("gpt-y", "m0", "m1", "m2", "m3") == there.proposed
    assert HANDFUL == len(there.proposed)
    assert ["gpt-y", *more] == names(there)
    first = there.found[0].offer
    assert ("vendor", "main/gpt-y", "7") == (
        first.origin.source.value, first.origin.place, first.suggestion.lists[0].price["input"]
    )  # fmt: skip


def test_a_provider_without_models_to_begin_with():
    """Begins with what its vendor lists; without a list with none."""
    assert ("m",) == chosen(offered(m=("1", "2"), free=None), "northwind").proposed
    assert ((), ()) == (chosen(None, "northwind").proposed, chosen(None, "northwind").found)


def test_of_a_list_that_is_not_whole_nothing_is_known_to_be_absent():
    part = msgspec.structs.replace(offered(m=("1", "2")), is_whole=False)
    assert is_known(part)
    assert ([], ["gone"]) == (unlisted(part, ["gone"]), unlisted(offered(m=None), ["m", "gone"]))
    assert "gpt-y" in chosen(part).proposed


def test_a_price_is_the_vendors_else_the_catalogues():
    found = offered(gpt_x=("7", "8"), gpt_y=None)
    assert ["vendor", "bundled", None] == [
        offer and offer.origin.source.value
        for offer in (
            offer_of("main", "openai", CATALOGUE, found, m) for m in ("gpt-x", "gpt-y", "z")
        )
    ]
