"""Every row of the table is whole, sourced, and becomes a provider."""

import re
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from growth.measuring import least
from trivium.providers import registry
from trivium.providers.base import Capabilities
from trivium.providers.credential import BEARER, STATIC, chosen
from trivium.providers.quirks import QUIRKS
from trivium.providers.registry import PROVIDERS, ProviderRow, rows
from trivium.wire.operation import SHAPE, Operation, Shape

ROWS = rows()
MODULES = (
    "anthropic", "bedrock", "bedrock-embed", "bedrock-mantle", "bedrock-messages", "bedrock-openai", "gemini", "openai",
    "vertex", "vertex-claude", "vertex-embed", "vertex-express", "vertex-open",
)  # fmt: skip
HOP_BY_HOP = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host"}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_whole(name):
    """A name as settings write them, a page and a day, one address or its form, something served."""
    row = ROWS[name]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert re.match(r"https://\S+$|run: \S", row.source)
    assert date(2026, 1, 1) <= row.read
    assert (row.base_url is None) != (row.base_form is None)
    assert row.serves or row.paths
    assert not set(row.serves) & set(row.paths)
    assert not row.base_form or re.search(r"\{[a-z]+\}", row.base_form)
    assert set(QUIRKS) >= row.quirks


@pytest.mark.parametrize("name", ROWS)
def test_keys_travel_only_over_tls(name):
    """Plain HTTP is for loopback."""
    parts = urlsplit(ROWS[name].base_url or ROWS[name].base_form)
    assert parts.scheme == "https" or parts.hostname == "127.0.0.1"
    assert not parts.path.endswith("/")


@pytest.mark.parametrize("name", ROWS)
def test_a_capability_is_on_only_with_its_page(name):
    """Everything is off until somebody has read otherwise."""
    for flag, page in ROWS[name].capabilities.items():
        assert flag in Capabilities.__struct_fields__
        assert re.match(r"https://\S+$|run: \S", page)
    flags = msgspec.to_builtins(PROVIDERS[name].capabilities)
    assert set(ROWS[name].capabilities) == {flag for flag, on in flags.items() if on}


def test_no_vendor_is_listed_twice():
    """Neither by address nor by title."""
    addresses = [row.base_url or row.base_form for row in ROWS.values()]
    assert len(addresses) == len(set(addresses))
    titles = [provider.title for provider in PROVIDERS.values()]
    assert len(titles) == len(set(titles))
    assert not set(MODULES) & set(ROWS)


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_nothing_travels_that_must_not(name):
    """Credentials, the connection's own headers and the body's framing are never on a list."""
    provider = PROVIDERS[name]
    for header in provider.forwards | provider.returns | set(provider.headers):
        assert header == header.lower()
        assert header not in HOP_BY_HOP
        assert not re.search(r"^content-|auth|cookie|api-key|token|^proxy-|idempotency", header)
    assert not provider.returns


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_providers_carry_their_name_and_source(name):
    """What a channel's setting says finds what documentation prints."""
    assert name == PROVIDERS[name].name
    assert re.search(r"read 20\d\d-\d\d-\d\d$", PROVIDERS[name].source)


@pytest.mark.parametrize(
    ("name", "credential", "shapes"),
    [
        ("openai", BEARER, {Shape.CHAT, Shape.RESPONSES, Shape.COMPLETIONS,
                                 Shape.EMBEDDINGS, Shape.MODERATIONS, Shape.VIDEOS,
                                 Shape.IMAGES, Shape.AUDIO}),
        ("anthropic", STATIC["x-api-key"], {Shape.MESSAGES}),
        ("gemini", STATIC["x-goog-api-key"], {Shape.GENERATE}),
        ("vertex", STATIC["x-goog-api-key"], {Shape.GENERATE}),
        ("vertex-claude", STATIC["x-goog-api-key"], {Shape.MESSAGES}),
        ("vertex-express", STATIC["x-goog-api-key"], {Shape.GENERATE}),
        ("vertex-open", STATIC["x-goog-api-key"], {Shape.CHAT}),
        ("azure-claude", STATIC["x-api-key"], {Shape.MESSAGES}),
        ("azure", STATIC["api-key"], {Shape.CHAT, Shape.RESPONSES, Shape.EMBEDDINGS, Shape.VIDEOS,
                                 Shape.AUDIO}),
        ("llamacpp", BEARER, {Shape.CHAT, Shape.RESPONSES, Shape.COMPLETIONS,
                                   Shape.EMBEDDINGS, Shape.MESSAGES, Shape.RERANK}),
    ],
)  # fmt: skip
def test_providers_speak_their_shapes(name, credential, shapes):
    """The shapes an operator may bind to."""
    provider = PROVIDERS[name]
    assert credential == chosen(provider.credential, has_key=True)
    assert shapes == {SHAPE[operation] for operation in provider.paths}


def test_every_operation_has_a_vendor():
    """All but ranking have one of those at whose source they are; a shape of its own has who
    brings it."""
    served = {operation for name in MODULES for operation in PROVIDERS[name].paths}
    cohere = {Operation.RERANK, Operation.COHERE_CHAT, Operation.COHERE_EMBED}
    assert set(Operation) - {*cohere, Operation.VENDOR} == served
    assert cohere <= PROVIDERS["cohere"].paths.keys()


def test_anthropic_has_a_version_even_when_the_caller_sends_none():
    """The vendor refuses requests without it; the caller's own replaces ours."""
    anthropic = PROVIDERS["anthropic"]
    assert {"anthropic-version": "2023-06-01"} == anthropic.headers
    assert set(anthropic.headers) <= anthropic.forwards


def test_the_page_lists_every_provider_as_it_is():
    """Documentation is not behind the table."""
    page = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if line.startswith("| `") and " read 20" in line]
    for provider in PROVIDERS.values():
        shapes = {SHAPE[operation] for operation in provider.paths}
        served = ", ".join(shape.value for shape in Shape if shape in shapes)
        address = provider.base_url or provider.base_form
        line = f"| `{provider.name}` | {provider.title} | `{address}` | {served} |"
        keys = ", ".join(f"`{variable}`" for variable in provider.key_variables)
        assert f"{line} {keys} | {provider.source} |" in listed
    assert len(PROVIDERS) == len(listed)


def test_the_page_explains_every_quirk():
    """An operator who meets a quirk's name finds it."""
    page = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in QUIRKS)


def test_there_are_enough_of_them():
    """The table was not emptied by a slip."""
    assert len(PROVIDERS) == len(list(PROVIDERS)) == len(ROWS) + len(MODULES)
    assert len(ROWS) >= 28
    assert "nobody" not in PROVIDERS


def test_reading_the_table_is_cheap():
    """It happens while a worker starts."""

    def read():
        registry._rows.cache_clear()
        [row.provider(name) for name, row in registry._rows().items()]

    assert least(read, 0.030) < 0.030  # 5 ms on an idle core; the machine may be busy


@pytest.mark.parametrize(
    "wrong",
    [
        {"titel": "X"},
        {"serves": ["chatter"]},
        {"auth": "magic"},
        {"read": "yesterday"},
        {"capabilities": {"stream_usage": True}},
    ],
)
def test_a_slip_in_a_row_is_caught(wrong):
    """Misspelt members, unknown operations and flags without a page do not pass."""
    good = {"title": "X", "source": "https://x.example", "read": date(2026, 11, 21)}
    msgspec.convert(good, ProviderRow)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(good | wrong, ProviderRow)


def test_each_provider_is_found_by_its_own_name():
    """The table says where one stands; what stands there has the name."""
    assert [name for name, provider in PROVIDERS.items() if provider.name != name] == []
    assert (True, False, len(list(PROVIDERS))) == (
        "bedrock" in PROVIDERS, "bedrok" in PROVIDERS, len(PROVIDERS),
    )  # fmt: skip
    assert PROVIDERS["azure"] is PROVIDERS["azure"]
    assert PROVIDERS.get("bedrok") is None
