"""Model lists in the three dialects, checked against the SDKs' own types where they have any."""

import base64
import json

import pytest
from anthropic.types import ModelInfo
from openai.types import Model as OpenAIModel

from trivium.faults import Fault, Kind
from trivium.wire.models import ListedModel, many, one, shape_for
from trivium.wire.operation import Operation, Shape

FULL = ListedModel(
    id="claude-x",
    created=1_790_000_000,
    owned_by="anthropic",
    title="Claude X",
    context_max=200_000,
    output_max=64_000,
    operations=frozenset({Operation.GENERATE, Operation.GENERATE_STREAM, Operation.MESSAGES}),
)
BARE = ListedModel(id="meta/llama3:8b", owned_by="trivium")
MODELS = [FULL, BARE]


def rows(count):
    """As many models, named so that their order is plain."""
    return [ListedModel(id=f"m{at:04}", owned_by="trivium") for at in range(count)]


def listed(shape, models, query=None):
    """A list, decoded."""
    return json.loads(many(shape, models, query or {}))


@pytest.mark.parametrize(
    ("headers", "query", "google", "shape"),
    [
        ({}, {}, False, Shape.CHAT),
        ({"authorization": "Bearer k"}, {"client_version": "1"}, False, Shape.CHAT),
        ({"x-api-key": "k"}, {}, False, Shape.MESSAGES),
        ({"anthropic-version": "2023-06-01"}, {}, False, Shape.MESSAGES),
        ({"vendor-version": "2026-10-21", "authorization": "Bearer k"}, {}, False, Shape.MESSAGES),
        ({"x-goog-api-key": "k"}, {}, False, Shape.GENERATE),
        ({"x-goog-api-key": "k", "x-api-key": "k"}, {}, False, Shape.GENERATE),
        ({"anthropic-version": "2023-06-01"}, {"key": "k"}, False, Shape.GENERATE),
        ({}, {}, True, Shape.GENERATE),
        ({"x-api-key": "k"}, {}, True, Shape.GENERATE),
    ],
)
def test_the_request_decides_the_dialect(headers, query, google, shape):
    """One path serves three client families; the headers tell which one asks."""
    assert shape is shape_for(headers, query, google)


def test_openai_clients_get_everything_at_once():
    """There is no paging; the owner and the time are always there."""
    body = listed(Shape.CHAT, MODELS, {"limit": "1"})
    assert "list" == body["object"]
    assert [
        {
            "id": "claude-x",
            "object": "model",
            "created": 1_790_000_000,
            "owned_by": "anthropic",
            "name": "Claude X",
        },
        {"id": "meta/llama3:8b", "object": "model", "created": 0, "owned_by": "trivium"},
    ] == body["data"]
    for entry in body["data"]:
        OpenAIModel.model_validate(entry)


def test_anthropic_clients_get_their_members():
    """Every member their type asks for is there; what we do not know is null."""
    body = listed(Shape.MESSAGES, MODELS)
    assert {
        "type": "model",
        "id": "claude-x",
        "display_name": "Claude X",
        "created_at": "2026-09-21T14:13:20Z",
        "lifecycle": "active",
        "max_input_tokens": 200_000,
        "max_tokens": 64_000,
        "capabilities": None,
    } == body["data"][0]
    assert ("meta/llama3:8b", "1970-01-01T00:00:00Z", None) == (
        body["data"][1]["display_name"],
        body["data"][1]["created_at"],
        body["data"][1]["max_tokens"],
    )
    assert ("claude-x", "meta/llama3:8b", False) == (
        body["first_id"],
        body["last_id"],
        body["has_more"],
    )
    for entry in body["data"]:
        ModelInfo.model_validate(entry)


def test_google_clients_get_their_members():
    """Methods follow from what the model's bindings serve; unknown limits are left out."""
    body = listed(Shape.GENERATE, MODELS)
    assert {
        "models": [
            {
                "name": "models/claude-x",
                "displayName": "Claude X",
                "supportedGenerationMethods": ["generateContent", "streamGenerateContent"],
                "inputTokenLimit": 200_000,
                "outputTokenLimit": 64_000,
            },
            {
                "name": "models/meta/llama3:8b",
                "displayName": "meta/llama3:8b",
                "supportedGenerationMethods": [],
            },
        ]
    } == body


def test_an_embedding_model_has_the_embedding_methods():
    """Clients filter by these names."""
    model = ListedModel(
        id="e",
        owned_by="x",
        operations=frozenset({Operation.GENERATE_EMBED, Operation.GENERATE_EMBED_BATCH}),
    )
    entry = json.loads(one(Shape.GENERATE, [model], "e"))
    assert ["embedContent", "batchEmbedContents"] == entry["supportedGenerationMethods"]


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.MESSAGES, Shape.GENERATE])
def test_no_models_is_a_list_too(shape):
    """A key that may use nothing sees an empty list, not an error."""
    body = listed(shape, [])
    assert [] == body["models" if shape is Shape.GENERATE else "data"]
    if shape is Shape.MESSAGES:
        assert (None, None, False) == (body["first_id"], body["last_id"], body["has_more"])


@pytest.mark.parametrize(
    ("query", "first", "last", "more"),
    [
        ({}, 0, 44, False),
        ({"limit": "20"}, 0, 19, True),
        ({"limit": "1000"}, 0, 44, False),
        ({"limit": "45"}, 0, 44, False),
        ({"limit": "44"}, 0, 43, True),
        ({"limit": "1"}, 0, 0, True),
        ({"after_id": "m0019"}, 20, 44, False),
        ({"after_id": "m0039"}, 40, 44, False),
        ({"after_id": "m0039", "limit": "5"}, 40, 44, False),
        ({"before_id": "m0030", "limit": "20"}, 10, 29, True),
        ({"before_id": "m0005"}, 0, 4, False),
        ({"before_id": "m0005", "limit": "2"}, 3, 4, True),
    ],
)
def test_anthropic_pages_follow_the_ids(query, first, last, more):
    """A page begins after one model or ends before one; more says whether to go on that way."""
    body = listed(Shape.MESSAGES, rows(45), query)
    assert [f"m{at:04}" for at in range(first, last + 1)] == [m["id"] for m in body["data"]]
    assert (f"m{first:04}", f"m{last:04}", more) == (
        body["first_id"],
        body["last_id"],
        body["has_more"],
    )


def test_the_page_after_the_last_model_is_empty():
    """An SDK that asks once too often stops."""
    body = listed(Shape.MESSAGES, rows(3), {"after_id": "m0002"})
    assert ([], None, False) == (body["data"], body["first_id"], body["has_more"])


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ({}, 1000),
        ({"pageSize": "0"}, 1000),
        ({"pageSize": "7"}, 7),
        ({"pageSize": "1000"}, 1000),
        ({"pageSize": "5000"}, 1000),
    ],
)
def test_google_pages_are_capped(query, size):
    """Too large a page is cut down without an error, as the vendor does."""
    assert size == len(listed(Shape.GENERATE, rows(1001), query)["models"])


def test_google_pages_join_up():
    """Following the tokens shows each model once; the last page has no token."""
    seen, query = [], {"pageSize": "4"}
    for _ in range(3):
        body = listed(Shape.GENERATE, rows(10), query)
        seen += [model["name"] for model in body["models"]]
        query = {"pageSize": "4", "pageToken": body.get("nextPageToken", "")}
    assert [f"models/m{at:04}" for at in range(10)] == seen
    assert "nextPageToken" not in body


@pytest.mark.parametrize(
    ("shape", "query", "param"),
    [
        *[
            (Shape.MESSAGES, {"limit": bad}, "limit")
            for bad in ("0", "1001", "-1", "x", "1.5", "²", "9" * 5000)
        ],
        (Shape.MESSAGES, {"after_id": "gone"}, "after_id"),
        (Shape.MESSAGES, {"before_id": "gone"}, "before_id"),
        (Shape.MESSAGES, {"after_id": "m0000", "before_id": "m0001"}, "before_id"),
        (Shape.GENERATE, {"pageSize": "-1"}, "pageSize"),
        (Shape.GENERATE, {"pageSize": "ten"}, "pageSize"),
        (Shape.GENERATE, {"pageToken": "!"}, "pageToken"),
        (Shape.GENERATE, {"pageToken": "ü"}, "pageToken"),
        (Shape.GENERATE, {"pageToken": base64.b64encode(b"\xff").decode()}, "pageToken"),
        (Shape.GENERATE, {"pageToken": base64.b64encode(b"gone").decode()}, "pageToken"),
    ],
)
def test_a_page_that_cannot_be_is_refused_by_name(shape, query, param):
    """The caller reads which parameter is wrong."""
    with pytest.raises(Fault) as caught:
        many(shape, rows(2), query)
    assert (Kind.INVALID_VALUE, param) == (caught.value.kind, caught.value.param)
    assert f"`{param}`" in caught.value.message


@pytest.mark.parametrize(
    ("shape", "member", "value"),
    [
        (Shape.CHAT, "id", "meta/llama3:8b"),
        (Shape.MESSAGES, "id", "meta/llama3:8b"),
        (Shape.GENERATE, "name", "models/meta/llama3:8b"),
    ],
)
def test_one_model_is_found_by_its_name(shape, member, value):
    """Slashes and colons are part of the name."""
    assert value == json.loads(one(shape, MODELS, "meta/llama3:8b"))[member]


def test_the_google_prefix_names_the_same_model():
    """``models/x`` is that dialect's own way of writing x, and a name of its own elsewhere."""
    assert "models/claude-x" == json.loads(one(Shape.GENERATE, MODELS, "models/claude-x"))["name"]
    with pytest.raises(Fault):
        one(Shape.CHAT, MODELS, "models/claude-x")


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.MESSAGES, Shape.GENERATE])
def test_an_unknown_model_is_not_found(shape):
    """The name comes back, cut to a readable length."""
    with pytest.raises(Fault) as caught:
        one(shape, MODELS, "x" * 5000)
    assert (Kind.MODEL_UNKNOWN, "model") == (caught.value.kind, caught.value.param)
    assert 200 == caught.value.message.count("x")
