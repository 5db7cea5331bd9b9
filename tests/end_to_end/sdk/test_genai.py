"""The official Google client, at each address our documentation names."""

import asyncio

import pytest

from end_to_end.sdk.clients import genai as sdk
from end_to_end.sdk.clients import google_at
from end_to_end.sdk.house import ODD, scenes
from end_to_end.sdk.scenes import VECTOR

types = sdk.types

TEXT = "Grüße, 世界 👋"


@pytest.fixture(
    params=["/vendorc v1", "/vendorc v1beta", "/gemini v1beta", "/gemini v1", " v1beta"]
)
def anywhere(request, gateway, key, wire):
    """A client at each base URL and version."""
    base, _, version = request.param.partition(" ")
    with google_at(gateway.origin + base, key, wire, api_version=version) as client:
        yield client


def test_the_sdk_asks_for_v1_unless_told_otherwise(genai, wire):
    """What our address for it must serve."""
    genai.models.generate_content(model="gemini-text", contents="Say hello.")
    assert "/vendorc/v1/models/gemini-text:generateContent" == wire.sent[0].url.path


def test_a_whole_answer(anywhere, vendor):
    """Text, finish reason and usage; the vendor got its own name and key."""
    answer = anywhere.models.generate_content(
        model="gemini-text",
        contents="Say hello.",
        config=types.GenerateContentConfig(temperature=0.2, max_output_tokens=20),
    )
    assert TEXT == answer.text
    assert types.FinishReason.STOP == answer.candidates[0].finish_reason
    assert 11 == answer.usage_metadata.total_token_count
    assert "/v1beta/models/text:generateContent" == vendor.last.path
    assert "sk-vendor-0123456789abcdef" == vendor.last.headers["x-goog-api-key"]
    assert [{"role": "user", "parts": [{"text": "Say hello."}]}] == vendor.last.body["contents"]


def test_a_stream(anywhere, vendor):
    """Chunk by chunk."""
    chunks = list(
        anywhere.models.generate_content_stream(model="gemini-text", contents="Say hello.")
    )
    assert ["Grüße", ", 世界 👋", ""] == [chunk.text for chunk in chunks]
    assert 11 == chunks[-1].usage_metadata.total_token_count
    assert "/v1beta/models/text:streamGenerateContent?alt=sse" == vendor.last.path


def test_the_request_id_can_be_had(genai):
    """On the answer's own headers."""
    answer = genai.models.generate_content(model="gemini-text", contents="x")
    assert answer.sdk_http_response.headers["x-request-id"].startswith("req_")


def test_tokens_are_counted(anywhere):
    """Of the vendor's tokenizer."""
    counted = anywhere.models.count_tokens(model="gemini-text", contents="Say hello.")
    assert 31 == counted.total_tokens


def test_texts_are_embedded(anywhere, vendor):
    """One vector a text."""
    answer = anywhere.models.embed_content(model="gemini-text", contents=["a", "b"])
    assert [list(VECTOR)] * len(answer.embeddings) == [one.values for one in answer.embeddings]
    assert 2 == len(answer.embeddings)


def test_a_function_is_called(genai):
    """Its arguments are an object, as the SDK's own calling needs them."""
    chunks = genai.models.generate_content_stream(model="gemini-function-call", contents="Weather?")
    calls = [call for chunk in chunks for call in chunk.function_calls or ()]
    assert calls
    assert all(isinstance(call.args, dict) for call in calls)


def test_signatures_and_thoughts_survive(genai):
    """Without the signature the next turn is refused."""
    chunks = list(genai.models.generate_content_stream(model="gemini-thoughts", contents="x"))
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    assert [part for part in parts if part.thought]
    assert [part for part in parts if part.thought_signature]


def test_a_chat_keeps_its_turns(genai, vendor):
    """The second turn carries the first."""
    chat = genai.chats.create(model="gemini-text")
    chat.send_message("one")
    chat.send_message("two")
    assert ["user", "model", "user"] == [turn["role"] for turn in vendor.last.body["contents"]]


def test_the_model_list_has_pages(anywhere, wire):
    """The SDK turns them by itself, and gets every model once."""
    names = [model.name for model in anywhere.models.list(config={"page_size": 40})]
    assert len(names) == len(set(names))
    assert {f"models/gemini-{scene}" for scene in scenes("gemini")} <= set(names)
    assert len(wire.sent) == -(-len(names) // 40)


@pytest.mark.parametrize("name", ["gemini-text", "models/gemini-text", "acme/gemini-mini:free"])
def test_a_model_is_found(anywhere, name):
    """By its bare name, by the vendor's long one, and with slashes and colons in it."""
    model = anywhere.models.get(model=name)
    assert "models/" + name.removeprefix("models/") == model.name
    assert 128_000 == model.input_token_limit


@pytest.mark.parametrize("name", [name for name in ODD if "gemini" in name])
def test_a_model_of_any_name_answers(anywhere, vendor, name):
    """Here the name is a part of the path, and the colon is the method's."""
    assert TEXT == anywhere.models.generate_content(model=name, contents="x").text
    assert "text" == vendor.last.scene


def test_a_model_that_is_not_there(anywhere):
    """404, as the vendor answers."""
    with pytest.raises(sdk.errors.ClientError) as caught:
        anywhere.models.get(model="acme/none")
    assert (404, "NOT_FOUND") == (caught.value.code, caught.value.status)


def test_many_at_once(gateway, key):
    """The asynchronous client, twenty answers on few connections, none mixed up."""

    async def run():
        options = {"base_url": f"{gateway.origin}/vendorc"}
        async with sdk.Client(api_key=key, http_options=options).aio as client:

            async def one(number):
                if number % 2:
                    answer = await client.models.generate_content(model="gemini-text", contents="x")
                    return answer.text
                stream = await client.models.generate_content_stream(
                    model="gemini-text", contents="x"
                )
                return "".join([chunk.text async for chunk in stream])

            return await asyncio.gather(*(one(number) for number in range(20)))

    assert [TEXT] * 20 == asyncio.run(run())
