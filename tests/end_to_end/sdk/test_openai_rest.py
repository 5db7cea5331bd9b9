"""The official OpenAI client on completions, embeddings, moderations and the model list."""

import asyncio
import json

import pytest
from openai import AsyncOpenAI, NotFoundError

from end_to_end.sdk.house import ODD
from end_to_end.sdk.scenes import VECTOR


def test_a_completion(openai):
    """The older shape, whole."""
    answer = openai.completions.create(model="gpt-text", prompt="Once", max_tokens=2)
    assert ("Once upon", "length") == (answer.choices[0].text, answer.choices[0].finish_reason)
    assert 5 == answer.usage.total_tokens


@pytest.mark.parametrize("asked", [True, False])
def test_a_completion_streamed(openai, vendor, asked):
    """Usage is asked for in any case, and shown to whom asked."""
    options = {"stream_options": {"include_usage": True}} if asked else {}
    with openai.completions.create(
        model="gpt-text", prompt="Once", stream=True, **options
    ) as stream:
        chunks = list(stream)
    assert {"include_usage": True} == vendor.last.body["stream_options"]
    assert asked == any(chunk.usage for chunk in chunks)
    assert "".join(choice.text for chunk in chunks for choice in chunk.choices)


def test_token_arrays_are_a_prompt(openai, vendor):
    """Some clients count tokens themselves and send their numbers."""
    openai.completions.create(model="gpt-text", prompt=[[1, 2, 3]])
    assert [[1, 2, 3]] == vendor.last.body["prompt"]


def test_embeddings_come_as_base64_unasked(openai, vendor):
    """The SDK asks for base64 when its user does not choose, and decodes it."""
    answer = openai.embeddings.create(model="gpt-text", input=["a", "b"])
    assert "base64" == vendor.last.body["encoding_format"]
    assert [list(VECTOR)] * 2 == [one.embedding for one in answer.data]
    assert 8 == answer.usage.prompt_tokens


def test_embeddings_as_numbers(openai):
    """Asked for, they pass as they are."""
    answer = openai.embeddings.create(model="gpt-text", input="a", encoding_format="float")
    assert list(VECTOR) == answer.data[0].embedding


def test_embeddings_of_token_arrays(openai, vendor):
    """As LangChain sends them."""
    openai.embeddings.create(model="gpt-text", input=[[15339, 1917]])
    assert [[15339, 1917]] == vendor.last.body["input"]


def test_a_moderation(openai):
    """Categories and scores."""
    answer = openai.moderations.create(model="gpt-text", input="kind words")
    assert ("modr-1", False) == (answer.id, answer.results[0].flagged)


def test_the_model_list(openai, gateway):
    """Every declared model, in one page, as iteration and as data."""
    listed = openai.models.list()
    names = [model.id for model in listed]
    declared = (gateway.folder / "trivium.toml").read_text()
    assert sorted(names) == sorted(set(names))
    assert {"gpt-text", "claude-text", "gemini-text", *ODD} <= set(names)
    assert declared.count("[[models]]\n") == len(names)
    assert {"model"} == {model.object for model in listed}


@pytest.mark.parametrize("name", ["gpt-text", *ODD])
def test_a_model_of_any_name_is_found(openai, name):
    """The SDK percent-encodes slashes; colons it leaves."""
    assert name == openai.models.retrieve(name).id


def test_a_model_that_is_not_there(openai):
    """404, as the vendor answers."""
    with pytest.raises(NotFoundError) as caught:
        openai.models.retrieve("acme/none")
    assert ("model_not_found", "model") == (caught.value.code, caught.value.param)


@pytest.mark.parametrize("name", [name for name in ODD if "gpt" in name])
def test_a_model_of_any_name_answers(openai, vendor, name):
    """The name is read from the body, whatever is in it."""
    openai.chat.completions.create(model=name, messages=[{"role": "user", "content": "x"}])
    assert "text" == vendor.last.scene


def test_a_key_sees_only_its_models(gateway):
    """Two allowed, two listed."""

    async def run(key):
        async with AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key=key) as client:
            return [model.id async for model in client.models.list()]

    assert ["gpt-text", "gpt-tools"] == sorted(
        asyncio.run(run(gateway.key("gpt-text", "gpt-tools")))
    )


def test_the_raw_answer_can_be_had(openai):
    """`with_raw_response`: what the SDK parsed is what was on the wire."""
    raw = openai.embeddings.with_raw_response.create(
        model="gpt-text", input="a", encoding_format="float"
    )
    assert list(VECTOR) == json.loads(raw.text)["data"][0]["embedding"]
    assert raw.headers["x-request-id"] == raw.headers["request-id"]
    assert ("openai", "1") == (raw.headers["trivium-channel"], raw.headers["trivium-attempts"])
