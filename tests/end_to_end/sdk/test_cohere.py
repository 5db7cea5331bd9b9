"""Cohere's SDK beyond conversations: embeddings, reranks, documents, errors and models refused.

Every answer is read by the SDK's own types; nothing in it is told of a gateway.
"""

import json

import cohere
import pytest

from end_to_end.features import answering, streams, telling
from end_to_end.sdk.clients import Wire, cohere_at, google_at, openai_at
from end_to_end.sdk.house import VENDOR_KEY
from end_to_end.sdk.scenes import SCENES, VECTOR
from end_to_end.sdk.served import served
from end_to_end.sdk.vendor import Vendor

CITED = {
    "start": 0,
    "end": 5,
    "text": "Grüße",
    "sources": [{"type": "document", "id": "d1", "document": {"id": "d1", "text": "Köln"}}],
    "content_index": 0,
    "type": "TEXT_CONTENT",
}
ANSWER = answering.cohere(
    telling.TEXT,
    citations=[CITED],
    usage={
        "billed_units": {"input_tokens": 5, "output_tokens": 7},
        "tokens": {"input_tokens": 71, "output_tokens": 9},
        "cached_tokens": 64,
    },
)


def chats(asked, stage):
    """A chat of Cohere's own, or its vectors."""
    if asked.path.endswith("/embed"):
        count = len(asked.body["texts"])
        embeddings = {"float": [list(VECTOR)] * count}
        meta = {"api_version": {"version": "2"}, "billed_units": {"input_tokens": 8}}
        stage.whole({"id": "e9", "embeddings": embeddings, "meta": meta})
    elif asked.stream:
        stage.begin()
        for frame in streams.frames("cohere", ANSWER):
            stage.piece(frame)
        stage.end()
    else:
        stage.whole(ANSWER)


def reranks(asked, stage):
    """The documents in turn."""
    assert asked.body["query"] == "q"
    results = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]
    stage.whole({"id": "r9", "results": results, "meta": {"billed_units": {"search_units": 1}}})


def cites(asked, stage):
    """A message that cites the second document it was given."""
    shown = [
        block
        for message in asked.body["messages"]
        for block in message["content"]
        if block["type"] == "document"
    ]
    assert [one["citations"] for one in shown] == [{"enabled": True}] * 2
    citation = {
        "type": "char_location",
        "cited_text": "Mild.",
        "document_index": 1,
        "document_title": shown[1]["title"],
        "start_char_index": 0,
        "end_char_index": 5,
    }
    block = {"type": "text", "text": telling.TEXT, "citations": [citation]}
    body = answering.messages(block)
    if not asked.stream:
        stage.whole(body)
        return
    stage.begin()
    stage.piece(streams.stream("messages", body))
    stage.end()


SETTINGS = """
[[channels]]
name = "cohere"
provider = "cohere"
api_key = "{key}"
base_url = "{origin}/compatibility/v1"

[[channels]]
name = "openai"
provider = "openai"
api_key = "{key}"
base_url = "{origin}/v1"

[[channels]]
name = "gemini"
provider = "gemini"
api_key = "{key}"
base_url = "{origin}"

[[channels]]
name = "anthropic"
provider = "anthropic"
api_key = "{key}"
base_url = "{origin}"

[[models]]
name = "command"
free = true
[[models.bindings]]
channel = "cohere"

[[models]]
name = "text"
free = true
[[models.bindings]]
channel = "openai"

[[models]]
name = "google"
free = true
[[models.bindings]]
channel = "gemini"
model = "text"

[[models]]
name = "cites"
free = true
[[models.bindings]]
channel = "anthropic"

[[models]]
name = "denied"
free = true
[[models.bindings]]
channel = "openai"

[[models]]
name = "refused"
free = true
[[models.bindings]]
channel = "openai"
"""


@pytest.fixture(scope="module")
def vendor():
    """All vendors in one."""
    own = {
        ("cohere", "command"): chats,
        ("rerank", "command"): reranks,
        ("messages", "cites"): cites,
    }
    with Vendor({**SCENES, **own}) as double:
        yield double


@pytest.fixture(scope="module")
def gateway(vendor, tmp_path_factory):
    """`trivium serve` in front of it."""
    text = SETTINGS.format(key=VENDOR_KEY, origin=vendor.origin)
    with served(tmp_path_factory.mktemp("cohere"), text) as running:
        yield running


@pytest.fixture
def client(gateway):
    """Cohere's SDK."""
    with cohere_at(gateway.origin, gateway.key(), Wire(), max_retries=0) as sdk:
        yield sdk


def test_its_own_vendor_is_asked_as_it_was(client, vendor):
    """Every member arrives, and the answer with its citations and counts comes as it was."""
    answer = client.chat(
        model="command",
        messages=[{"role": "user", "content": "Hello"}],
        documents=[{"id": "d1", "data": {"text": "Köln"}}, "Oslo"],
        safety_mode="STRICT",
        priority=3,
        k=7,
    )
    assert answer.message.content[0].text == telling.TEXT
    (cited,) = answer.message.citations
    assert (cited.start, cited.end, cited.sources[0].id) == (0, 5, "d1")
    assert answer.usage.cached_tokens == 64
    assert vendor.last.path == "/v2/chat"
    assert vendor.last.headers["authorization"] == f"Bearer {VENDOR_KEY}"
    body = vendor.last.body
    assert (body["safety_mode"], body["priority"], body["k"]) == ("STRICT", 3, 7)
    assert body["documents"] == [{"id": "d1", "data": {"text": "Köln"}}, "Oslo"]


def test_its_own_vendor_streams(client):
    """Events pass as they come, the last with the counts."""
    events = list(
        client.chat_stream(model="command", messages=[{"role": "user", "content": "Hello"}])
    )
    kinds = [event.type for event in events]
    assert kinds[0] == "message-start"
    assert kinds[-1] == "message-end"
    assert "citation-start" in kinds
    assert events[-1].delta.usage.billed_units.input_tokens == 5


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_documents_are_cited_by_another_vendor(client, stream):
    """Anthropic's citation of a document leads back to the caller's own."""
    asked = {
        "model": "cites",
        "messages": [{"role": "user", "content": "How is the weather?"}],
        "documents": ["Cold.", {"id": "today", "data": {"text": "Mild.", "source": "paper"}}],
        "max_tokens": 64,
    }
    if stream:
        events = list(client.chat_stream(**asked))
        (cited,) = [
            event.delta.message.citations for event in events if event.type == "citation-start"
        ]
    else:
        (cited,) = client.chat(**asked).message.citations
    (source,) = cited.sources
    assert source.type == "document"
    assert (source.id, source.document["text"]) == ("today", "Mild.")
    assert (cited.start, cited.end) == (0, len(telling.TEXT))


@pytest.mark.parametrize("model", ["command", "text", "google"])
def test_embeddings(client, model):
    """In front of every shape that has vectors."""
    answer = client.embed(
        model=model,
        texts=["one", "two"],
        input_type="search_query",
        embedding_types=["float"],
    )
    assert [list(VECTOR)] * 2 == answer.embeddings.float_
    assert answer.meta.billed_units.input_tokens > 0


def test_embeddings_of_other_kinds_are_refused_by_name(client):
    """Bits are the vendor's own; the error is the SDK's for a bad request."""
    with pytest.raises(cohere.BadRequestError) as caught:
        client.embed(
            model="text", texts=["one"], input_type="search_query", embedding_types=["binary"]
        )
    assert "embedding_types[0]" in caught.value.body["message"]


def test_other_callers_embeddings_are_made_by_cohere(gateway, vendor):
    """Google's SDK sends texts; Cohere is asked for them with a type."""
    with google_at(f"{gateway.origin}/vendorc", gateway.key(), Wire()) as google:
        answer = google.models.embed_content(model="command", contents=["one", "two"])
    assert [list(VECTOR)] * 2 == [one.values for one in answer.embeddings]
    assert vendor.last.path == "/v2/embed"
    assert vendor.last.body["input_type"] == "search_document"


def test_reranks(client):
    """The results in their order, as the SDK reads them."""
    answer = client.rerank(model="command", query="q", documents=["a", "b"], top_n=2)
    assert [1, 0] == [one.index for one in answer.results]
    assert answer.meta.billed_units.search_units == 1


def test_another_sdk_talks_to_it(gateway, vendor):
    """OpenAI's responses are served by Cohere's own endpoint, which says more than its copy."""
    with openai_at(f"{gateway.origin}/v1", gateway.key(), Wire(), max_retries=0) as openai:
        answer = openai.responses.create(model="command", input="Hello")
    assert answer.output_text == telling.TEXT
    assert vendor.last.path == "/v2/chat"
    assert json.loads(vendor.last.raw)["messages"] == [{"role": "user", "content": "Hello"}]
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (5, 7)


def test_errors_are_of_the_sdks_own_classes(client, gateway):
    """Each status has its class, and the message stands where the SDK's users look."""
    hello = [{"role": "user", "content": "Hello"}]
    with pytest.raises(cohere.NotFoundError) as caught:
        client.chat(model="nobody", messages=hello)
    assert "nobody" in caught.value.body["message"]
    with pytest.raises(cohere.BadRequestError) as caught:
        client.chat(model="text", messages=hello, stop_sequences=list("abcdef"))
    assert "stop_sequences" in caught.value.body["message"]
    assert caught.value.body["id"].startswith("req_")
    with pytest.raises(cohere.BadRequestError):
        client.chat(model="refused", messages=hello)
    with (
        cohere_at(gateway.origin, "wrong", Wire(), max_retries=0) as stranger,
        pytest.raises(cohere.UnauthorizedError),
    ):
        stranger.chat(model="text", messages=hello)
