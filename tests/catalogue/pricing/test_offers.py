"""Offers come by the order in which channels are tried, a vendor's own before the catalogue's."""

from types import SimpleNamespace

import msgspec

from catalogue.pricing.world import NIGHT, SUGGESTED, offered
from trivium.catalogue.pricing.offers import bare, bindings_of, offers_of, word_of
from trivium.ledger.suggestions.model import read

CATALOGUE = read(msgspec.json.encode(SUGGESTED))


def binding(channel, model, priority=0, provider="openai"):
    named = SimpleNamespace(name=channel, provider=SimpleNamespace(name=provider))
    return SimpleNamespace(channel=named, model=model, priority=priority)


def model(*bindings):
    return SimpleNamespace(name="m", bindings=bindings)


def test_the_first_choice_comes_first():
    """What nobody prices is not offered."""
    of = model(
        binding("late", "gpt-x", 2), binding("main", "models/gpt-y"), binding("other", "own", 1)
    )
    lists = {"main": offered(gpt_y=("7", "8")), "late": offered(gpt_x=None)}
    found = list(offers_of(of, CATALOGUE, lists))
    assert [("main", "vendor", "main/models/gpt-y"), ("late", "bundled", "openai/gpt-x")] == [
        (each.channel, each.origin.source.value, each.origin.place) for each in found
    ]
    assert ["2024-10-04", "2026-11-10"] == [each.origin.day for each in found]


def test_a_channel_that_is_bound_twice_is_told_once():
    of = model(binding("a", "x", 1), binding("a", "x"), binding("a", "y"))
    assert ["x", "y"] == [each.model for each in bindings_of(of)]


def test_what_a_vendor_says_of_a_model_is_known_or_not():
    """Listed, not listed in a whole list, or nobody can tell."""
    whole = offered(gpt_x=None)
    part = msgspec.structs.replace(whole, is_whole=False, why="no answer")
    words = [
        word_of(binding("main", name), lists)
        for name, lists in (
            ("gpt-x", {"main": whole}), ("own", {"main": whole}), ("own", {"main": part}),
            ("own", {}),
        )
    ]  # fmt: skip
    assert [(True, NIGHT), (False, NIGHT), (None, NIGHT), (None, None)] == [
        (each.is_listed, each.read_at) for each in words
    ]
    assert "no answer" == words[2].why


def test_googles_prefix_is_no_part_of_a_name():
    assert ["g", "a/models/b"] == [bare("models/g"), bare("a/models/b")]


def test_an_offer_has_a_fingerprint_of_what_it_says():
    lists = [{"main": offered(own=(price, "8"))} for price in ("7", "7", "6")]
    one, same, other = (
        next(offers_of(model(binding("main", "own")), CATALOGUE, each)).digest(NIGHT)
        for each in lists
    )
    assert one == same != other
