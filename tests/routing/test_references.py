"""What channels of the database may refer to, and where that may go."""

import pytest

from trivium.providers.registry import PROVIDERS
from trivium.routing.catalogue import build
from trivium.routing.references import is_reference, secret_texts, unusable_references
from trivium.secret import Secret
from trivium.settings.entries import ChannelEntry
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings
from trivium.settings.section import SecretsSettings

OPENAI = "https://api.openai.com/v1"
AZURE = {"tenant_id": "t", "client_id": "c", "client_secret": "env:AZURE_API_KEY"}


def why(settings=None, provider="openai", base_url=OPENAI, **members):
    """(path, start of why not) of each reference that is refused."""
    entry = ChannelEntry(name="x", provider=provider, **members)
    given = PROVIDERS[provider].base_url if base_url is None else base_url
    found = unusable_references(
        entry, PROVIDERS[provider], given or "", settings or SecretsSettings()
    )
    return [(".".join(map(str, path)), what.partition(":")[0]) for path, what in found]


def test_texts_themselves_are_always_good():
    """Whoever sends a secret has it."""
    assert [] == why(api_key="sk-1", headers={"x-a": "b"}, base_url="https://evil.example/v1")


def test_a_variable_goes_to_the_providers_own_address_alone():
    """To the letter of scheme, host and port."""
    assert [] == why(api_key="env:OPENAI_API_KEY")
    for url in (
        "https://evil.example/v1",
        "http://api.openai.com/v1",
        "https://api.openai.com:444/v1",
    ):
        ((path, what),) = why(api_keys=("env:OPENAI_API_KEY",), base_url=url)
        assert ("api_keys.0", True) == (path, what.startswith("would be sent to http"))
    allowed = SecretsSettings(reference_hosts=("*.internal.example",))
    assert [] == why(allowed, api_key="env:A_API_KEY", base_url="https://a.internal.example/v1")
    assert why(allowed, api_key="env:A_API_KEY", base_url="http://a.internal.example/v1")
    assert why(allowed, api_key="env:A_API_KEY", base_url="https://internal.example.evil/v1")


@pytest.mark.parametrize(
    "text",
    ["env:DATABASE_URL", "env:TRIVIUM_SECRET", "vault:secret/x#y", "aws-sm:x", "file:/etc/shadow"],
)
def test_other_references_are_refused_wherever_they_stand(text):
    """Until the settings allow them; files never."""
    for members in ({"api_key": text}, {"headers": {"x-a": text}}, {"credential": {"a": text}}):
        assert 1 == len(why(**members)), members
    allowed = SecretsSettings(references=("env:*", "vault:*", "aws-sm:x", "*"))
    assert text.startswith("file:") == bool(why(allowed, api_key=text))


def test_the_gateways_own_identity_is_a_reference():
    """Of each cloud; beside secrets of the channel's own it is not looked for."""
    assert [("credential", "is a reference that channels of the database may not use")] == why(
        provider="bedrock", base_url=None, credential={"region": "eu-central-1"}
    )
    keys = {"region": "eu-central-1", "key_id": "A", "secret": "s"}
    assert [] == why(provider="bedrock", credential=keys)
    assert [] == why(provider="bedrock", api_key="k", credential={"region": "eu-central-1"})
    federation = {"federation": '{"credential_source": {"file": "/etc/shadow"}}'}
    assert why(provider="vertex", credential=federation)
    assert why(
        provider="azure", credential={"tenant_id": "t", "client_id": "c", "token_file": "/x"}
    )
    allowed = SecretsSettings(references=("identity:azure",), reference_hosts=("*.azure.com",))
    mine = {"identity": "managed"}
    assert [] == why(allowed, "azure", "https://a.openai.azure.com", credential=mine)
    assert why(allowed, "azure", "https://evil.example", credential=mine)


def test_a_reference_is_not_shown_to_an_authority_of_the_callers():
    """Entra's client secret goes to the authority, which the channel names."""
    allowed = SecretsSettings(reference_hosts=("*.azure.com",))
    at = "https://a.openai.azure.com"
    assert [] == why(allowed, "azure", at, credential=AZURE)
    refused = why(allowed, "azure", at, credential=AZURE | {"authority": "evil.example"})
    assert [("credential.client_secret", True)] == [
        (path, what.startswith("cannot be a reference beside authority")) for path, what in refused
    ]


def test_a_guarded_channel_is_not_built():
    """The catalogue says why, with the channel's name; one of the file is as free as ever."""
    entry = ChannelEntry(name="x", provider="openai", api_key="env:SECRET")
    settings = Settings(channels=(entry,))
    looked_up = []

    def resolve(text, setting):
        looked_up.append(text)
        return Secret("s")

    with pytest.raises(SettingsError, match=r"channels\[0\].api_key is a reference that"):
        build(settings, resolve=resolve, guarded=lambda _: True)
    assert [] == looked_up
    build(settings, resolve=resolve)
    assert ["env:SECRET"] == looked_up


def test_which_texts_are_secrets():
    """All places that may refer to one."""
    entry = ChannelEntry(
        name="x", provider="openai", api_key="a", api_keys=("b",), credential={"p": "c"},
        headers={"h": "env:D"},
    )  # fmt: skip
    assert ["a", "b", "c", "env:D"] == list(secret_texts(entry))
    assert [False, True] == [is_reference("a"), is_reference("env:D")]
