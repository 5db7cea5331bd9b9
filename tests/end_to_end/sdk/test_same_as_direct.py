"""Whatever a vendor streams, its own SDK reads the same through the gateway as straight from it.

Every recorded stream is read twice, once each way, but for those that end badly: a broken answer is
told in the gateway's words (``test_refusals.py``).
"""

import pytest

from end_to_end.sdk.clients import Wire, anthropic_at, google_at, openai_at
from end_to_end.sdk.vendor import FIXTURES, stems

TURN = [{"role": "user", "content": "x"}]
KEY = "sk-vendor-0123456789abcdef"


UNREADABLE = {
    ("messages", "no-last-blank"): "the SDK loses the last event; the gateway completes it",
    ("generate", "words"): "google-genai 3.3 takes U+2028 for the end of a line",
}
"""Streams that an SDK does not read straight from the vendor."""


def fine(shape):
    """Names of the recorded streams of one shape that end well."""
    found = stems(shape, ".sse")
    return [
        name
        for name in found
        if not name.startswith(("error", "failed", "cut")) and (shape, name) not in UNREADABLE
    ]


def same(read, direct, through, name, prefix):
    """What the SDK made of both, compared as the SDK prints it."""
    straight = read(direct, name)
    assert straight
    assert straight == read(through, f"{prefix}-{name}")


@pytest.fixture
def openai_direct(vendor):
    """OpenAI's client without a gateway."""
    with openai_at(f"{vendor.origin}/v1", KEY, Wire()) as client:
        yield client


@pytest.fixture
def anthropic_direct(vendor):
    """Anthropic's client without a gateway."""
    with anthropic_at(vendor.origin, KEY, Wire()) as client:
        yield client


@pytest.fixture
def genai_direct(vendor):
    """Google's client without a gateway."""
    with google_at(vendor.origin, KEY, Wire()) as client:
        yield client


def chat(client, model):
    options = {"stream_options": {"include_usage": True}}
    stream = client.chat.completions.create(model=model, messages=TURN, stream=True, **options)
    with stream:
        return [chunk.to_dict() for chunk in stream]


def completions(client, model):
    options = {"stream_options": {"include_usage": True}}
    stream = client.completions.create(model=model, prompt="x", stream=True, **options)
    with stream:
        return [chunk.to_dict() for chunk in stream]


def responses(client, model):
    with client.responses.create(model=model, input="x", stream=True) as stream:
        return [event.to_dict() for event in stream]


def messages(client, model):
    stream = client.messages.create(model=model, max_tokens=9, messages=TURN, stream=True)
    with stream:  # the SDK warns of kinds it does not know
        return [event.to_dict(warnings=False) for event in stream]


def generate(client, model):
    stream = client.models.generate_content_stream(model=model, contents="x")
    return [chunk.model_dump(exclude={"sdk_http_response"}) for chunk in stream]


@pytest.mark.parametrize(
    ("read", "name"),
    [(read, name) for read in (chat, completions, responses) for name in fine(read.__name__)],
)
def test_openai_reads_the_same(openai, openai_direct, read, name):
    """Chat, completions and responses."""
    same(read, openai_direct, openai, name, "gpt")


@pytest.mark.parametrize("name", fine("messages"))
def test_anthropic_reads_the_same(anthropic, anthropic_direct, name):
    """Messages."""
    same(messages, anthropic_direct, anthropic, name, "claude")


@pytest.mark.parametrize("name", fine("generate"))
def test_google_reads_the_same(genai, genai_direct, name):
    """Generate-content."""
    same(generate, genai_direct, genai, name, "gemini")


def test_a_last_event_without_its_blank_line_is_not_lost(anthropic, anthropic_direct):
    """Straight from the vendor it is."""
    straight = messages(anthropic_direct, "no-last-blank")
    through = messages(anthropic, "claude-no-last-blank")
    assert [*straight, {"type": "message_stop"}] == through


def test_there_are_streams_to_compare():
    """The fixtures are where they are looked for."""
    assert FIXTURES.is_dir()
    assert all(
        len(fine(shape)) >= 2
        for shape in ("chat", "completions", "responses", "messages", "generate")
    )
