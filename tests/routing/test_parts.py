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


VERTEX = "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4"
AZURE = "https://r.openai.azure.com/openai/v1"
WHO = {"tenant_id": "contoso.onmicrosoft.com", "client_id": "c"}


@pytest.mark.parametrize(
    ("provider", "base_url", "more", "said"),
    [
        ("vertex", VERTEX, {"credential": {"identity": "metadata"}}, None),
        ("vertex", VERTEX, {"api_key": "k"}, None),
        ("azure", AZURE, {"api_key": "k"}, None),
        ("azure", AZURE, {"credential": WHO | {"client_secret": "s3cr3t"}}, None),
        ("vertex", VERTEX, {}, (
            "channels[0].api_key is missing, and credential names one identity by key, federation "
            "or identity; there is none. Example: "
            'credential = { key = "file:/etc/trivium/service-account.json" }')),
        ("azure", AZURE, {}, (
            "channels[0].api_key is missing, and credential names one identity by client_secret, "
            "certificate, token_file or identity; there is none. Example: "
            'credential = { tenant_id = "…", client_id = "…", client_secret = '
            '"env:AZURE_CLIENT_SECRET" }')),
        ("azure", AZURE, {"credential": {"client_secret": "s3cr3t", "client_id": "c"}}, (
            "channels[0].credential client_secret goes with tenant_id and client_id; tenant_id is "
            "missing")),
        ("azure", AZURE, {"api_key": "k", "credential": {"identity": "managed"}}, (
            "channels[0].credential names an identity, and there is an api_key as well: one of the "
            "two is right")),
        ("vertex", VERTEX, {"credential": {"key": "s3cr3t"}}, (
            "channels[0].credential key is no JSON; give the whole file. Example: "
            'credential = { key = "file:/etc/trivium/google.json" }')),
        ("vertex", VERTEX, {"credential": {"keyfile": "s3cr3t"}}, (
            "channels[0].credential.keyfile is nothing that provider vertex asks for (it takes "
            "identity, key, federation, impersonate, delegates, service_account)")),
        ("vertex", VERTEX.replace("/locations/europe-west4", ""),
         {"credential": {"identity": "default"}}, (
            "channels[0].base_url cannot be used: its path must name project and location, as "
            "/v1/projects/acme-prod/locations/europe-west4; there is /v1/projects/p. Example: "
            'base_url = "https://{location}-aiplatform.googleapis.com/v1/projects/{project}'
            '/locations/{location}"')),
    ],
)  # fmt: skip
def test_what_names_an_identity_is_looked_at_at_start(provider, base_url, more, said):
    """A mistake says what is wrong, and what would be right; nothing of a secret."""
    entry = ChannelEntry(name="c", provider=provider, base_url=base_url, **more)
    if said is None:
        assert () == build(Settings(channels=(entry,)), PROVIDERS).channels["c"].credentials[1:]
        return
    with pytest.raises(SettingsError) as caught:
        build(Settings(channels=(entry,)), PROVIDERS)
    assert said in caught.value.lines
    assert "s3cr3t" not in str(caught.value)
