"""Base URLs in every spelling people paste, and where calls go."""

import re

import msgspec
import pytest

from trivium.providers.address import check_model, listing, normalise, target
from trivium.providers.registry import PROVIDERS
from trivium.wire.operation import Operation


@pytest.mark.parametrize(
    ("provider", "written", "base"),
    [
        # openai: with the version segment, as its SDK takes it
        ("openai", "https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("openai", "https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("openai", "https://api.openai.com", "https://api.openai.com/v1"),
        ("openai", "https://API.OpenAI.com/", "https://api.openai.com/v1"),
        ("openai", " https://api.openai.com/v1 ", "https://api.openai.com/v1"),
        ("openai", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("openai", "https://api.openai.com/v1/responses/", "https://api.openai.com/v1"),
        ("openai", "http://127.0.0.1:8081", "http://127.0.0.1:8081/v1"),
        ("openai", "http://[::1]:8081/v1", "http://[::1]:8081/v1"),
        ("openai", "https://proxy.example/openai/v1", "https://proxy.example/openai/v1"),
        ("openai", "https://proxy.example/llm", "https://proxy.example/llm"),
        ("openai", "https://host.example/v1beta/openai", "https://host.example/v1beta/openai"),
        ("openai", "https://host.example/api/paas/v4", "https://host.example/api/paas/v4"),
        # anthropic and gemini: the origin
        ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com"),
        ("anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com"),
        ("anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com"),
        (
            "anthropic",
            "https://api.anthropic.com/v1/messages/count_tokens",
            "https://api.anthropic.com",
        ),
        ("anthropic", "https://host.example/anthropic", "https://host.example/anthropic"),
        ("anthropic", "https://host.example/anthropic/v1", "https://host.example/anthropic"),
        ("gemini", "https://generativelanguage.googleapis.com/", None),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta", None),
        ("gemini", "https://generativelanguage.googleapis.com/v1", None),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta/models", None),
        ("gemini", "https://generativelanguage.googleapis.com/v1/models/g:generateContent", None),
        ("gemini", "https://proxy.example/google/v1beta", "https://proxy.example/google"),
        # rows
        ("deepseek", "https://api.deepseek.com", None),
        ("deepseek", "https://api.deepseek.com/v1", None),
        ("deepseek", "https://api.deepseek.com/anthropic", None),
        ("deepseek", "https://api.deepseek.com/anthropic/v1/messages", None),
        ("groq", "https://api.groq.com/openai", None),
        ("groq", "https://api.groq.com", None),
        ("moonshot", "https://api.moonshot.ai/anthropic", None),
        ("moonshot", "https://api.moonshot.cn/v1", "https://api.moonshot.cn/v1"),
        ("zhipu", "https://api.z.ai/api/anthropic", None),
        ("zhipu", "https://api.z.ai/api/paas/v4/chat/completions", None),
        ("openrouter", "https://openrouter.ai/api", None),
        ("openrouter", "https://openrouter.ai/api/v1/messages", None),
        ("fireworks", "https://api.fireworks.ai/inference", None),
        ("deepinfra", "https://api.deepinfra.com", None),
        ("ollama", "http://127.0.0.1:11434", None),
        ("azure", "https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1"),
        ("azure", "https://r.openai.azure.com/openai/v1/", "https://r.openai.azure.com/openai/v1"),
        ("azure-deployments", "https://r.openai.azure.com", "https://r.openai.azure.com/openai"),
        (
            "azure-deployments",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions",
            "https://r.openai.azure.com/openai",
        ),
    ],
)
def test_spellings_come_out_the_same(provider, written, base):
    """Every spelling whose meaning is certain; ``None`` stands for the provider's own base URL."""
    found = PROVIDERS[provider]
    assert (base or found.base_url) == normalise(found, written)


@pytest.mark.parametrize(
    ("provider", "written", "said"),
    [
        ("openai", "https://api.openai.com/v1/v1", "twice"),
        ("openai", "https://api.openai.com/v1/v1/chat/completions", "twice"),
        ("anthropic", "https://api.anthropic.com/v1/v1/messages", "twice"),
        ("openai", "api.openai.com/v1", "https://"),
        ("openai", "ftp://api.openai.com", "https://"),
        ("openai", "https:///v1", "name a host"),
        ("openai", "", "https://"),
        ("openai", "https://user:pw@api.openai.com/v1", "api_key"),
        ("openai", "https://api.openai.com/v1?api-version=1", "query"),
        ("openai", "https://api.openai.com/v1?", "query"),
        ("openai", "https://api.openai.com/v1#x", "query"),
        ("openai", "https://api.openai.com:99999/v1", "not an address"),
        ("openai", "https://api.openai.com:0/v1", "port 0"),
        ("openai", "https://[::1/v1", "not an address"),
        ("openai", "https://api.openai.com/a/../v1", "relative"),
        ("openai", "https://api.openai.com/a//v1", "empty"),
        ("openai", "https://api.openai.com/a b/v1", "percent-encoded"),
        ("azure", "https://{resource}.openai.azure.com/openai/v1", "placeholder"),
        ("zhipu", "https://host.example/v4", "too short"),
    ],
)
def test_what_cannot_be_meant_is_refused_readably(provider, written, said):
    """The operator reads what is wrong; no password is repeated."""
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        normalise(PROVIDERS[provider], written)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_normalising_twice_changes_nothing(name):
    """The regular form is one of the accepted spellings."""
    provider = PROVIDERS[name]
    written = provider.base_url or provider.base_form.translate(str.maketrans("", "", "{}"))
    once = normalise(provider, written)
    assert once == normalise(provider, once)
    assert written == once


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_every_operation_of_every_provider_has_a_target(name):
    """No path doubles a version or keeps a placeholder."""
    provider = PROVIDERS[name]
    base = provider.base_url or provider.base_form.translate(str.maketrans("", "", "{}"))
    for operation in provider.paths:
        scheme, host, port, path = target(provider, normalise(provider, base), operation, "m")
        assert scheme in ("http", "https")
        assert host
        assert port > 0
        assert path.startswith("/")
        assert not any(mark in path for mark in ("{", "}", "//", "..", "/v1/v1"))


@pytest.mark.parametrize(
    ("provider", "operation", "model", "goes"),
    [
        ("openai", Operation.CHAT, "gpt-5", "/v1/chat/completions"),
        ("anthropic", Operation.MESSAGES_COUNT, "c", "/v1/messages/count_tokens"),
        ("gemini", Operation.GENERATE, "gemini-3", "/v1beta/models/gemini-3:generateContent"),
        ("gemini", Operation.GENERATE, "models/g", "/v1beta/models/g:generateContent"),
        ("gemini", Operation.GENERATE, "a/b c", "/v1beta/models/a/b%20c:generateContent"),
        ("gemini", Operation.GENERATE, "g?x#y%", "/v1beta/models/g%3Fx%23y%25:generateContent"),
        (
            "gemini",
            Operation.GENERATE_STREAM,
            "g",
            "/v1beta/models/g:streamGenerateContent",
        ),
        ("deepseek", Operation.MESSAGES, "m", "/anthropic/v1/messages"),
        ("moonshot", Operation.MESSAGES, "m", "/anthropic/v1/messages"),
        ("zhipu", Operation.MESSAGES, "m", "/api/anthropic/v1/messages"),
        ("dashscope", Operation.MESSAGES, "m", "/apps/anthropic/v1/messages"),
        ("openrouter", Operation.MESSAGES, "m", "/api/v1/messages"),
        ("perplexity", Operation.CHAT, "m", "/chat/completions"),
        (
            "azure-deployments",
            Operation.CHAT,
            "my dep/1",
            "/openai/deployments/my%20dep%2F1/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_calls_go_where_the_vendor_serves(provider, operation, model, goes):
    """Models are encoded where the path carries them, the fixed query is added."""
    found = PROVIDERS[provider]
    base = found.base_url or found.base_form.translate(str.maketrans("", "", "{}"))
    assert goes == target(found, base, operation, model)[3]


def test_ports_and_hosts_are_told_apart():
    """The default port of the scheme, an explicit one, and an IPv6 host without its brackets."""
    openai = PROVIDERS["openai"]
    assert ("https", "api.openai.com", 443) == target(
        openai, "https://api.openai.com/v1", Operation.CHAT, "m"
    )[:3]
    assert ("http", "::1", 80) == target(openai, "http://[::1]/v1", Operation.CHAT, "m")[:3]
    assert ("http", "h", 81) == target(openai, "http://h:81/v1", Operation.CHAT, "m")[:3]


@pytest.mark.parametrize("operation", [Operation.GENERATE, Operation.GENERATE_STREAM])
def test_a_stream_of_frames_may_lie_elsewhere(operation):
    """The generate-content shape streams one JSON array unless told otherwise."""
    gemini = PROVIDERS["gemini"]
    path = target(gemini, gemini.base_url, operation, "g", stream=True)[3]
    assert path == "/v1beta/models/g:streamGenerateContent?alt=sse"


def test_a_fixed_query_joins_the_one_of_a_path():
    """Both the path for streams and the provider may have one."""
    found = msgspec.structs.replace(
        PROVIDERS["azure-deployments"], stream_paths={Operation.CHAT: "/c?live=1"}
    )
    path = target(found, "https://h.example/openai", Operation.CHAT, "m", stream=True)[3]
    assert path == "/openai/c?live=1&api-version=2024-10-21"


@pytest.mark.parametrize("model", ["", "..", "a/../b", "a//b", "./a", "models/"])
def test_a_model_name_cannot_climb(model):
    """Slashes stay for Google's names, so dot segments are refused."""
    gemini = PROVIDERS["gemini"]
    with pytest.raises(ValueError, match="cannot be part of an address"):
        target(gemini, gemini.base_url, Operation.GENERATE, model)


def test_an_operation_that_is_not_served_is_refused():
    """Routing keeps this from happening; if it does, the text names both."""
    with pytest.raises(ValueError, match="Anthropic does not serve chat"):
        target(PROVIDERS["anthropic"], "https://api.anthropic.com", Operation.CHAT, "m")


@pytest.mark.parametrize(
    ("provider", "base", "path"),
    [
        ("openai", "https://api.openai.com/v1", "/v1/models"),
        ("anthropic", "https://api.anthropic.com", "/v1/models"),
        ("gemini", "https://generativelanguage.googleapis.com", "/v1beta/models"),
        ("groq", "https://api.groq.com/openai/v1", "/openai/v1/models"),
        ("perplexity", "https://api.perplexity.ai/v1", "/models"),
    ],
)
def test_the_list_of_models_lies_beside_the_operations(provider, base, path):
    """As the vendors' references have it."""
    assert path == listing(PROVIDERS[provider], normalise(PROVIDERS[provider], base))


def test_where_a_list_of_models_lies_is_known_of_nearly_all():
    """Not where each model has a place of its own, nor where nobody converses; what is known is a
    path without a placeholder.
    """
    unknown = set()
    for provider in PROVIDERS.values():
        path = "/v1/projects/p/locations/us" if provider.place else "/compatible-mode/v1"
        base = normalise(provider, provider.base_url or f"https://x.example{path}")
        found = listing(provider, base)
        if found is None:
            unknown.add(provider.name)
        else:
            assert (True, False, False) == (found.startswith("/"), "{" in found, ".." in found)
    places = {
        "bedrock",
        "bedrock-embed",
        "bedrock-messages",
        "vertex",
        "vertex-claude",
        "vertex-embed",
        "vertex-express",
        "vertex-open",
    }
    assert {"azure-deployments", "jina"} | places == unknown


@pytest.mark.parametrize("name", sorted(PROVIDERS))
@pytest.mark.parametrize("model", ["gpt-5", "a/b", "", "..", "a/../b", "models/x", "ü", "a b?"])
def test_a_model_is_refused_by_itself_as_by_its_addresses(name, model):
    """Whoever knows that the addresses are right needs to look at the model's name alone."""
    provider = PROVIDERS[name]
    base = provider.base_url or "https://host.example/v1/x/y"

    def refused(act):
        try:
            act()
        except ValueError as error:
            return str(error)
        return None

    def all_targets():
        for operation in provider.paths:
            for stream in (False, True):
                target(provider, base, operation, model, stream=stream)

    assert refused(all_targets) == refused(lambda: check_model(provider, model))
