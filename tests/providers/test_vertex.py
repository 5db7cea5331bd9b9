"""Vertex AI's addresses: host, project and location are what they look like, or are refused."""

import pytest

from trivium.providers import vertex
from trivium.providers.address import normalise, target
from trivium.providers.registry import PROVIDERS
from trivium.wire.operation import Operation

PATH = "/v1/projects/acme-prod/locations/europe-west4"
BASE = f"https://europe-west4-aiplatform.googleapis.com{PATH}"
GLOBAL = "https://aiplatform.googleapis.com/v1/projects/acme-prod/locations/global"


@pytest.mark.parametrize("name", ["vertex", "vertex-claude", "vertex-open"])
@pytest.mark.parametrize(
    ("written", "base_url"),
    [
        (BASE, BASE),
        (f"{BASE}/", BASE),
        (BASE.replace("/v1/", "/"), BASE),
        (BASE.replace("/v1/", "/v1beta1/"), BASE.replace("/v1/", "/v1beta1/")),
        (f"{BASE}/publishers/google/models/gemini-x:generateContent", BASE),
        (f"{BASE}/endpoints/openapi", BASE),
        (f"{BASE}/endpoints/openapi/chat/completions", BASE),
        (BASE.replace("europe-west4-ai", "EUROPE-WEST4-ai"), BASE),
        (GLOBAL, GLOBAL),
        (
            "https://aiplatform.eu.rep.googleapis.com/v1/projects/123456789012/locations/eu",
            "https://aiplatform.eu.rep.googleapis.com/v1/projects/123456789012/locations/eu",
        ),
        (
            "https://us-central1-aiplatform.googleapis.com/v1/projects/example.com:p/locations/us-central1",
            "https://us-central1-aiplatform.googleapis.com/v1/projects/example.com:p/locations/us-central1",
        ),
        (f"http://10.0.0.7:8080{PATH}", f"http://10.0.0.7:8080{PATH}"),
        (f"https://vertex.corp.example{PATH}", f"https://vertex.corp.example{PATH}"),
    ],
)
def test_spellings_whose_meaning_is_certain(name, written, base_url):
    """What was pasted with it is cut, and only a version is added."""
    assert base_url == normalise(PROVIDERS[name], written)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("https://europe-west4-aiplatform.googleapis.com", "must name project and location"),
        ("https://aiplatform.googleapis.com/v1", "must name project and location"),
        (f"https://x{PATH}/v1", "/v1 is too much"),
        (BASE.replace("acme-prod", "Acme_Prod"), "'Acme_Prod' is no project's id"),
        (BASE.replace("/locations/europe-west4", "/locations/europe_west4"), "is no location"),
        (BASE.replace("/locations/europe-west4", "/locations/eu-west-4"), "is no location"),
        (BASE.replace("/locations/europe-west4", "/locations/us-central1"),
         ("host is of europe-west4 and its path of us-central1; for us-central1 it begins with "
          "https://us-central1-aiplatform.googleapis.com")),
        (GLOBAL.replace("/global", "/eu"), "https://aiplatform.eu.rep.googleapis.com"),
        (BASE.replace("/locations/europe-west4", "/locations/global"),
         "begins with https://aiplatform.googleapis.com"),
        (vertex.BASE_FORM, "placeholder"),
        (f"{BASE}?key=x", "query"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(written, why):
    """Said with what would be right."""
    with pytest.raises(ValueError, match=why.replace("(", "\\(")):
        normalise(PROVIDERS["vertex"], written)


@pytest.mark.parametrize(
    ("name", "base", "operation", "model", "stream", "path"),
    [
        ("vertex", BASE, Operation.GENERATE, "gemini-x", False,
         f"{PATH}/publishers/google/models/gemini-x:generateContent"),
        ("vertex", BASE, Operation.GENERATE, "models/gemini-x", True,
         f"{PATH}/publishers/google/models/gemini-x:streamGenerateContent?alt=sse"),
        ("vertex", BASE, Operation.GENERATE_COUNT, "gemini-x", False,
         f"{PATH}/publishers/google/models/gemini-x:countTokens"),
        ("vertex-express", "https://aiplatform.googleapis.com/v1", Operation.GENERATE, "gemini-x",
         False, "/v1/publishers/google/models/gemini-x:generateContent"),
        ("vertex-claude", BASE, Operation.MESSAGES, "claude-x@20260101", False,
         f"{PATH}/publishers/anthropic/models/claude-x@20260101:rawPredict"),
        ("vertex-claude", BASE, Operation.MESSAGES, "claude-x", True,
         f"{PATH}/publishers/anthropic/models/claude-x:streamRawPredict"),
        ("vertex-claude", BASE, Operation.MESSAGES_COUNT, "claude-x", False,
         f"{PATH}/publishers/anthropic/models/count-tokens:rawPredict"),
        ("vertex-open", BASE, Operation.CHAT, "meta/llama-x-maas", False,
         f"{PATH}/endpoints/openapi/chat/completions"),
    ],
)  # fmt: skip
def test_where_a_call_goes(name, base, operation, model, stream, path):
    """As Google's SDK and its documentation have it."""
    provider = PROVIDERS[name]
    assert path == target(provider, normalise(provider, base), operation, model, stream=stream)[3]


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("us", "aiplatform.us.rep.googleapis.com"),
        ("us-east5", "us-east5-aiplatform.googleapis.com"),
    ],
)
def test_every_location_has_its_host(location, host):
    """The one that a base URL is held to."""
    assert host == vertex.host_of(location)
    assert vertex.place(host, f"/projects/p/locations/{location}").endswith(location)
