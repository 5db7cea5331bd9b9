"""The clouds' own clients on lists, counts, vectors, forms and betas."""

import contextlib
import io
import json

import anthropic as anthropic_sdk
import pytest
from botocore.exceptions import ClientError
from google.genai import errors as google_errors
from google.genai import types as google_types

from end_to_end.sdk.cloud_clients import clients_at
from end_to_end.sdk.scenes import VECTOR

HELLO = [{"role": "user", "content": "Say hello."}]


@pytest.fixture(scope="module")
def clients(gateway, key, tmp_path_factory):
    """One of each."""
    with contextlib.ExitStack() as stack:
        yield clients_at(gateway.origin, key, stack, tmp_path_factory.mktemp("tls"))


def test_models_are_listed(clients):
    """By the clients that have a list."""
    assert "gpt-text" in {model.id for model in clients["azure"].models.list()}
    assert "gemini-text" in {
        (model.name or "").removeprefix("models/") for model in clients["genai"].models.list()
    }


def test_tokens_are_counted(clients, vendor):
    """Each in its own words, by the vendor's own counter."""
    vertex = clients["vertex"].messages.count_tokens(model="claude-text", messages=HELLO)
    assert 14 == vertex.input_tokens
    body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": HELLO}
    asked = {"invokeModel": {"body": json.dumps(body).encode()}}
    assert 14 == clients["boto"].count_tokens(modelId="claude-text", input=asked)["inputTokens"]
    assert {"model": "text", "messages": HELLO} == vendor.last.body
    said = {"converse": {"messages": [{"role": "user", "content": [{"text": "Say hello."}]}]}}
    assert 14 == clients["boto"].count_tokens(modelId="claude-text", input=said)["inputTokens"]
    assert "Say hello." == vendor.last.body["messages"][0]["content"][0]["text"]
    assert (
        31 == clients["genai"].models.count_tokens(model="gemini-text", contents="Hi").total_tokens
    )


def test_texts_are_embedded(clients, vendor):
    """Azure's by a deployment, Google's by predict."""
    (one,) = (
        clients["azure"]
        .embeddings.create(model="gpt-text", input="a", encoding_format="float")
        .data
    )
    assert list(VECTOR) == one.embedding
    found = clients["genai"].models.embed_content(model="gpt-text", contents=["a", "b"])
    assert [list(VECTOR)] * 2 == [each.values for each in found.embeddings]
    assert ["a", "b"] == vendor.last.body["input"]
    found = clients["genai"].models.embed_content(model="gemini-text", contents="a")
    assert [list(VECTOR)] == [each.values for each in found.embeddings]
    assert vendor.last.path.endswith(":embedContent")


def test_amazon_s_client_has_texts_embedded(clients, vendor):
    """By a model that is none of Amazon's, in the body of one that is."""
    for body, member, told in (
        ({"inputText": "a", "dimensions": 3}, "embedding", list(VECTOR)),
        ({"texts": ["a"], "input_type": "search_query"}, "embeddings", [list(VECTOR)]),
    ):
        answer = clients["boto"].invoke_model(modelId="gpt-text", body=json.dumps(body))
        assert told == json.loads(answer["body"].read())[member]
        assert ["a"] == vendor.last.body["input"]


def test_betas_travel_however_they_are_said(clients, vendor):
    """Amazon's client of Anthropic's says them twice."""
    clients["bedrock"].beta.messages.create(
        model="claude-text", max_tokens=5, messages=HELLO, betas=["a-1", "b-2"]
    )
    assert "a-1,b-2" == vendor.last.headers["anthropic-beta"]
    assert {"model", "max_tokens", "messages", "stream"} == set(vendor.last.body)


def test_a_picture_is_edited_in_a_deployment(clients, vendor):
    """The form's model is the path's."""
    picture = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    picture.name = "a.png"
    with contextlib.suppress(Exception):  # whatever the double draws: what it was asked counts
        clients["azure"].images.edit(model="gpt-text", image=picture, prompt="A cat.")
    assert ("/v1/images/edits", "text") == (vendor.last.path, vendor.last.body["model"])


def test_a_model_that_is_not_there_is_each_client_s_own_error(clients):
    """Typed, by its name."""
    with pytest.raises(ClientError) as caught:
        clients["boto"].invoke_model(
            modelId="acme/none",
            body=b'{"anthropic_version":"bedrock-2023-05-31","max_tokens":5,"messages":[]}',
        )
    assert "ResourceNotFoundException" == caught.value.response["Error"]["Code"]
    for name in ("bedrock", "vertex"):
        with pytest.raises(anthropic_sdk.NotFoundError):
            clients[name].messages.create(model="acme-none", max_tokens=5, messages=HELLO)


def test_a_body_of_another_family_is_refused_in_words(clients):
    """With what to do."""
    with pytest.raises(ClientError, match="/v1/images/generations") as caught:
        clients["boto"].invoke_model(modelId="gpt-text", body=b'{"taskType":"TEXT_IMAGE"}')
    assert "ValidationException" == caught.value.response["Error"]["Code"]
    body = b'{"texts":["a"],"embedding_types":["int8"]}'
    with pytest.raises(ClientError, match="embedding_types") as caught:
        clients["boto"].invoke_model(modelId="gpt-text", body=body)
    assert "ValidationException" == caught.value.response["Error"]["Code"]


PICTURE = google_types.RawReferenceImage(
    reference_id=1,
    reference_image=google_types.Image(image_bytes=b"\x89PNG", mime_type="image/png"),
)


@pytest.mark.filterwarnings("ignore:The (edit_image|generate_images) method is deprecated")
@pytest.mark.parametrize(
    ("call", "more"),
    [("generate_images", {}), ("edit_image", {"reference_images": [PICTURE]})],
)
def test_pictures_by_predict_are_refused_by_name(clients, vendor, call, more):
    """Imagen's own calls, which its vendor has ended: told where pictures are made."""
    ask = getattr(clients["genai"].models, call)
    with vendor.watching() as seen, pytest.raises(google_errors.ClientError) as caught:
        ask(model="gemini-text", prompt="a cat", **more)
    assert (400, "INVALID_ARGUMENT", []) == (caught.value.code, caught.value.status, seen)
    assert "instances[0].prompt" in caught.value.message
    assert "/v1/images/generations" in caught.value.message
