"""What a channel gives beside its key, and what packages bring: checked before anything is called."""

import msgspec
import pytest

from trivium.providers.credential import BEARER, CredentialChoice, Finder, FoundSecret, Signing
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.catalogue import build
from trivium.settings.entries import ChannelEntry
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings
from trivium.wire.operation import Operation


def _signed(**more):
    kind = Signing(begin=lambda *_: None, parts=("api_key", "key_id"), optional=("region",))
    return {
        "signed": msgspec.structs.replace(
            PROVIDERS["openai"], name="signed", credential=kind, **more
        )
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"key_id": "k"}, None),
        ({"key_id": "k", "region": "eu"}, None),
        (
            {},
            'credential.key_id is missing: OpenAI asks for it. Example: credential = { key_id = "env:KEY_ID" }',
        ),
        (
            {"key_id": "k", "zone": "eu"},
            "zone is nothing that provider openai asks for (it takes key_id, region)",
        ),
    ],
)
def test_a_channel_gives_what_its_provider_asks_for_beside_the_key(given, said):
    """No more and no less, and nothing of it is shown."""
    entry = ChannelEntry(name="c", provider="signed", api_key="sk", credential=given)
    settings = Settings(channels=(entry,))
    if said is None:
        found = build(settings, _signed(), normalise=lambda _, url: url).channels["c"]
        assert given == {name: secret.reveal() for name, secret in found.parts.items()}
    else:
        with pytest.raises(SettingsError) as caught:
            build(settings, _signed(), normalise=lambda _, url: url)
        assert any(said.replace("openai", "signed") in line for line in caught.value.lines), (
            caught.value.lines
        )


def test_a_provider_with_a_fixed_header_takes_no_parts():
    """They would never be sent."""
    entry = ChannelEntry(name="c", provider="openai", api_key="sk", credential={"region": "eu"})
    with pytest.raises(SettingsError, match="it takes none"):
        build(Settings(channels=(entry,)), PROVIDERS, normalise=lambda _, url: url)


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        (1, "is no Provider"),
        ("openai", "is there already"),
        ("shapeless", "has a path for a shape of its own"),
    ],
)
def test_what_a_package_brings_is_looked_at(monkeypatch, brought, said):
    """Before a channel may name it."""
    own = PROVIDERS["openai"]
    if brought == "shapeless":
        brought = msgspec.structs.replace(own, name="x", paths={Operation.VENDOR: "/x"})
    elif brought == "openai":
        brought = own
    monkeypatch.setattr(catalogue, "brought", lambda *_: [("x", brought)])
    with pytest.raises(SettingsError, match=said):
        catalogue.known_providers(["pack"])


def _pairs(names):
    if "api_key" in names and names != {"api_key"}:
        raise ValueError("takes an api_key or key_id, not both")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, None),
        ({"api_key": "k"}, None),
        ({"credential": {"key_id": "k"}}, None),
        (
            {"api_key": "k", "credential": {"key_id": "k"}},
            "credential takes an api_key or key_id, not both",
        ),
    ],
)
def test_parts_that_do_not_go_together_are_told(more, said):
    """A choice asks for nothing, and its finder says what belongs to what."""
    finder = Finder(
        find=lambda *_: FoundSecret(parts={}, life_s=None, source="a test"), check=_pairs
    )
    kind = CredentialChoice(
        key=BEARER,
        otherwise=Signing(begin=lambda *_: None, parts=(), optional=("key_id",), finder=finder),
    )
    providers = {"w": msgspec.structs.replace(PROVIDERS["openai"], name="w", credential=kind)}
    settings = Settings(channels=(ChannelEntry(name="c", provider="w", **more),))
    if said is None:
        assert "c" in build(settings, providers, normalise=lambda _, url: url).channels
        return
    with pytest.raises(SettingsError) as caught:
        build(settings, providers, normalise=lambda _, url: url)
    assert any(said in line for line in caught.value.lines), caught.value.lines
