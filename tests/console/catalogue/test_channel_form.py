"""A channel's document out of fields, and fields out of a document; pure."""

import pytest

from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.console import forms
from trivium.console.catalogue import channel_form
from trivium.console.catalogue.entries import ShownEntry
from trivium.providers.registry import PROVIDERS


def form(**given):
    return forms.empty(forms.Form, **given)


def entry(document, place=""):
    at = EntryName(CatalogueKind.CHANNEL.value, "main")
    return ShownEntry(at=at, document=document, place=place, version=0 if place else 3)


@pytest.mark.parametrize(
    ("given", "document"),
    [
        ({}, {}),
        ({"keys": " a \n\n"}, {"api_key": "a"}),
        ({"keys": "a\nb\na"}, {"api_keys": ["a", "b"]}),
        ({"queue_max": "5", "queue_s": "2.5"}, {"queue_max": 5, "queue_s": 2.5}),
        ({"queue_max": "five"}, {"queue_max": "five"}),
        ({"timeouts.idle": "3", "probe.kind": ""}, {"timeouts": {"idle": 3}}),
        ({"credential.region": "r"}, {"credential": {"region": "r"}}),
        ({"added_headers": "x-a: b: c\nnone"}, {"headers": {"x-a": "b: c", "none": ""}}),
        ({"disabled": "1", "proxy": "http://p"}, {"disabled": True, "proxy": "http://p"}),
    ],
)
def test_a_document_is_made_of_fields(given, document):
    """What is empty is left out, what is no number stays text for the check to refuse."""
    made = channel_form.document(form(provider="openai", **given), None)
    assert {"provider": "openai", **document} == made


def test_credentials_stay_until_others_are_given_or_they_are_taken_away():
    """By their references."""
    was = entry(
        {
            "provider": "p",
            "api_keys": ["sealed:1", "env:K"],
            "proxy": "sealed:p",
            "credential": {"region": "sealed:r"},
        }
    )
    kept = {name: was.document[name] for name in ("provider", "api_keys", "proxy", "credential")}
    assert kept == channel_form.document(form(provider="p"), was)
    gone = form(
        provider="p",
        remove=[
            "api_keys.0:sealed:1",
            "proxy:sealed:p",
            "credential.region:sealed:r",
            "api_keys.1:another",
        ],
    )
    assert {"provider": "p", "api_key": "env:K"} == channel_form.document(gone, was)
    other = form(
        provider="p", remove=["keys", "proxy:sealed:p"], keys="new", **{"credential.region": "s"}
    )
    assert {"provider": "p", "api_key": "new", "credential": {"region": "s"}} == (
        channel_form.document(other, was)
    )


def test_what_a_provider_needs():
    """A key, an address, parts; and what an entry has of it."""
    plain = channel_form.needs(PROVIDERS["openai"], None)
    assert (True, True, False, ()) == (
        plain.takes_key, plain.needs_key, plain.needs_address, plain.parts
    )  # fmt: skip
    local = channel_form.needs(PROVIDERS["ollama"], None)
    assert not local.needs_key
    was = entry({"provider": "bedrock", "credential": {"old": "…1234"}}, place="t.toml:1")
    cloud = channel_form.needs(PROVIDERS["bedrock"], was)
    parts = {part.name: part for part in cloud.parts}
    assert ("1234", True, False) == (
        parts["old"].kept.hint, parts["secret"].is_secret, parts["region"].is_secret
    )  # fmt: skip
    assert {"credential.old", "keys", "name"} <= cloud.shown


def test_problems_find_their_field():
    """Whatever their member is called."""
    assert ["keys", "keys", "added_headers", "queue_s"] == [
        channel_form.field_of(each) for each in ("api_key", "api_keys.3", "headers.x-a", "queue_s")
    ]


def test_a_name_that_is_free():
    """With a number behind it."""
    assert "a" == channel_form.free_name("a", {})
    assert "a-3" == channel_form.free_name("a", {"a": "", "a-2": "t:1"})
