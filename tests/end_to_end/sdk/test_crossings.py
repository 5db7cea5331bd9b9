"""The official clients on completions, vectors and counts of models that speak another shape."""

import pytest
from google.genai import types
from openai import BadRequestError

from end_to_end.sdk.scenes import VECTOR

TEXT = "Grüße, 世界 👋"


@pytest.mark.parametrize("model", ["claude-text", "gemini-text"])
def test_a_completion_of_a_conversation(openai, model):
    """The client reads it as its own."""
    answer = openai.completions.create(model=model, prompt="Once", max_tokens=20, echo=True)

    (choice,) = answer.choices
    assert ("Once" + TEXT, "stop") == (choice.text, choice.finish_reason)
    assert (model, "text_completion") == (answer.model, answer.object)
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


@pytest.mark.parametrize("model", ["claude-text", "gemini-text"])
@pytest.mark.parametrize("asked", [True, False])
def test_a_completion_of_a_conversation_streamed(openai, model, asked):
    """Piece by piece, with usage for whom asked."""
    options = {"stream_options": {"include_usage": True}} if asked else {}
    with openai.completions.create(model=model, prompt="Once", stream=True, **options) as stream:
        chunks = list(stream)

    assert "".join(choice.text for chunk in chunks for choice in chunk.choices)
    assert ["stop"] == [
        choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason
    ]
    assert asked == any(chunk.usage for chunk in chunks)


def test_a_prompt_of_token_ids_is_refused_by_name(openai):
    """The client's own exception, which says what to do."""
    with pytest.raises(BadRequestError, match="send text") as caught:
        openai.completions.create(model="claude-text", prompt=[1, 2, 3])

    assert "prompt" == caught.value.param


@pytest.mark.parametrize("form", [None, "float", "base64"])
def test_openai_s_client_has_texts_embedded_by_google(openai, vendor, form):
    """In whichever form it asks for vectors; unasked it decodes base64 itself."""
    options = {} if form is None else {"encoding_format": form}
    answer = openai.embeddings.with_raw_response.create(
        model="gemini-text", input=["a", "b"], dimensions=3, **options
    )

    vectors = [one.embedding for one in answer.parse().data]
    assert [list(VECTOR) if form != "base64" else "AACAPgAAAL8AAIA/"] * 2 == vectors
    assert "usage" == answer.headers["trivium-estimated"]
    assert [3, 3] == [one["outputDimensionality"] for one in vendor.last.body["requests"]]


def test_google_s_client_has_texts_embedded_by_openai(genai, vendor):
    """One vector a text; the length wanted goes along."""
    config = types.EmbedContentConfig(output_dimensionality=3, task_type="CLUSTERING")
    answer = genai.models.embed_content(model="gpt-text", contents=["a", "b"], config=config)

    assert [list(VECTOR)] * 2 == [one.values for one in answer.embeddings]
    assert (["a", "b"], 3) == (vendor.last.body["input"], vendor.last.body["dimensions"])


@pytest.mark.parametrize(
    ("model", "tokens"), [("claude-text", 14), ("gemini-text", 31), ("gpt-text", 17)]
)
def test_every_client_has_tokens_counted_by_every_vendor(anthropic, genai, openai, model, tokens):
    """By the vendor's own counter."""
    turns = [{"role": "user", "content": "Say hello."}]
    counted = (
        anthropic.messages.count_tokens(model=model, messages=turns, system="Be brief."),
        openai.responses.input_tokens.count(model=model, input="Say hello."),
    )
    assert [tokens] * 2 == [one.input_tokens for one in counted]
    assert tokens == genai.models.count_tokens(model=model, contents="Say hello.").total_tokens


def test_a_count_that_nobody_makes_is_estimated(anthropic):
    """The channel is closed; the client gets a number, and the mark."""
    answer = anthropic.messages.with_raw_response.count_tokens(
        model="gpt-away", messages=[{"role": "user", "content": "Say hello."}]
    )

    assert 7 == answer.parse().input_tokens
    assert "tokens" == answer.headers["trivium-estimated"]
