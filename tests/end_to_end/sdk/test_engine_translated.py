"""Conversations of two turns with a real model, streamed, each in a shape that is not the engine's.

The same model is bound once for each shape that llama.cpp serves. Nothing here depends on what the
model says, only that the second turn knows of the first.
"""

import itertools

import pytest

from end_to_end.sdk.clients import Wire, anthropic_at, google_at, openai_at

pytestmark = pytest.mark.engine

FIRST = "Say hello."
SECOND = "Say it again."
EMOJI = "🌟🌟🌟🌟🌟"
LIMIT = 16
"""The least that the responses shape takes."""
SHORT = 4


@pytest.fixture(scope="module")
def gateway(engine_gateway):
    """A gateway that speaks three shapes to one engine."""
    return engine_gateway


@pytest.fixture(scope="module")
def key(gateway):
    """A key of this gateway's own."""
    return gateway.key()


@pytest.fixture(scope="module")
def openai(gateway, key):
    """OpenAI's client."""
    with openai_at(f"{gateway.origin}/v1", key, Wire()) as client:
        yield client


@pytest.fixture(scope="module")
def anthropic(gateway, key):
    """Anthropic's client."""
    with anthropic_at(gateway.origin, key, Wire()) as client:
        yield client


@pytest.fixture(scope="module")
def genai(gateway, key):
    """Google's client."""
    with google_at(f"{gateway.origin}/vendorc", key, Wire()) as client:
        yield client


def judged(*turns):
    """Each turn: (text, input tokens, output tokens). The second has read the first."""
    for text, _, output in turns:
        assert text.strip()
        assert 0 < output <= LIMIT
    (_, first, _), (_, second, _) = turns
    assert 0 < first < second


@pytest.mark.parametrize("shape", ["messages", "responses"])
def test_a_chat(openai, shape):
    """OpenAI's chat client, through its accumulating helper."""

    def turn(messages):
        with openai.chat.completions.stream(
            model=f"by-{shape}",
            messages=messages,
            max_tokens=LIMIT,
            temperature=0,
            stream_options={"include_usage": True},
        ) as stream:
            text = "".join(event.delta for event in stream if event.type == "content.delta")
            answer = stream.current_completion_snapshot
        assert text == answer.choices[0].message.content
        return answer

    messages = [{"role": "user", "content": FIRST}]
    first = turn(messages)
    said = first.choices[0].message.model_dump(include={"role", "content"})
    second = turn([*messages, said, {"role": "user", "content": SECOND}])
    judged(
        *(
            (a.choices[0].message.content, a.usage.prompt_tokens, a.usage.completion_tokens)
            for a in (first, second)
        )
    )


@pytest.mark.parametrize("shape", ["chat", "messages"])
def test_responses(openai, shape):
    """OpenAI's responses client; the answer's own items are sent back."""

    def turn(items):
        with openai.responses.stream(
            model=f"by-{shape}", input=items, max_output_tokens=LIMIT, temperature=0
        ) as stream:
            events = list(stream)
        answer = events[-1].response
        text = "".join(e.delta for e in events if e.type == "response.output_text.delta")
        assert text == answer.output_text
        return answer

    asked = [{"role": "user", "content": FIRST}]
    first = turn(asked)
    said = [item.model_dump(mode="json", exclude_none=True) for item in first.output]
    second = turn([*asked, *said, {"role": "user", "content": SECOND}])
    judged(*((a.output_text, a.usage.input_tokens, a.usage.output_tokens) for a in (first, second)))


@pytest.mark.parametrize("shape", ["chat", "responses"])
def test_messages(anthropic, shape):
    """Anthropic's client; the answer's own blocks are sent back."""

    def turn(messages):
        with anthropic.messages.stream(
            model=f"by-{shape}", messages=messages, max_tokens=LIMIT
        ) as stream:
            text = "".join(stream.text_stream)
            answer = stream.get_final_message()
        assert text == answer.content[0].text
        assert "local" == stream.response.headers["trivium-channel"]
        return answer

    asked = [{"role": "user", "content": FIRST}]
    first = turn(asked)
    said = {"role": "assistant", "content": first.content}
    second = turn([*asked, said, {"role": "user", "content": SECOND}])
    judged(
        *(
            (
                a.content[0].text,
                a.usage.input_tokens + (a.usage.cache_read_input_tokens or 0),
                a.usage.output_tokens,
            )
            for a in (first, second)
        )
    )


@pytest.mark.parametrize("shape", ["chat", "messages", "responses"])
def test_generate(genai, shape):
    """Google's client; its chat keeps the turns itself."""
    chat = genai.chats.create(
        model=f"by-{shape}", config={"max_output_tokens": LIMIT, "temperature": 0}
    )
    turns = []
    for words in (FIRST, SECOND):
        chunks = list(chat.send_message_stream(words))
        usage = chunks[-1].usage_metadata
        assert chunks[-1].candidates[0].finish_reason in ("STOP", "MAX_TOKENS")
        turns.append(
            (
                "".join(chunk.text or "" for chunk in chunks),
                usage.prompt_token_count,
                usage.candidates_token_count,
            )
        )
    judged(*turns)
    roles = [content.role for content in chat.get_history()]
    assert ["user", "model"] * 2 == [role for role, _ in itertools.groupby(roles)]


def test_a_cut_answer_is_told(openai):
    """By the engine's chat; its responses call it completed."""
    turn = [{"role": "user", "content": "Count to one hundred."}]
    asked = {"model": "by-responses", "messages": turn, "max_tokens": LIMIT, "temperature": 0}
    answer = openai.chat.completions.create(**asked)
    assert "length" == answer.choices[0].finish_reason
    with openai.chat.completions.stream(**asked) as stream:
        for _ in stream:
            pass
    assert "length" == stream.current_completion_snapshot.choices[0].finish_reason


@pytest.mark.parametrize("shape", ["chat", "messages", "responses"])
def test_an_answer_that_begins_with_an_emoji(openai, anthropic, genai, shape):
    """The engine's strangest streams, whose first frame is missing or comes again."""
    model, turn = f"by-{shape}", [{"role": "user", "content": EMOJI}]
    with anthropic.messages.stream(model=model, max_tokens=SHORT, messages=turn) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text == "".join(block.text for block in message.content)
    assert message.stop_reason in ("max_tokens", "end_turn")
    with openai.responses.stream(model=model, max_output_tokens=SHORT, input=turn) as stream:
        kinds = [event.type for event in stream]
    assert "response.created" == kinds[0]
    assert kinds[-1] in ("response.incomplete", "response.completed")
    with openai.chat.completions.stream(model=model, max_tokens=SHORT, messages=turn) as stream:
        for _ in stream:
            pass
        (choice,) = stream.current_completion_snapshot.choices
    assert "assistant" == choice.message.role
    assert choice.finish_reason in ("length", "stop")
    chunks = list(
        genai.models.generate_content_stream(
            model=model, contents=EMOJI, config={"max_output_tokens": SHORT}
        )
    )
    assert chunks[-1].candidates[0].finish_reason in ("MAX_TOKENS", "STOP")
