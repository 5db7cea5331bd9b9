"""Usage in the chat shape: totals that contain their parts."""

from msgspec import json

from trivium.conversation.usage import Usage
from trivium.wire.chat.write_usage import written
from trivium.wire.openai_shapes import usage


def test_what_is_written_is_read_back_as_it_was():
    """The same record feeds the caller and the bill."""
    whole = Usage(
        fresh=10,
        cache_read=4,
        cache_write_short=2,
        output=7,
        reasoning=5,
        audio_input=1,
        audio_output=3,
    )
    told = written(whole)
    assert (17, 15, 32) == (told["prompt_tokens"], told["completion_tokens"], told["total_tokens"])
    assert whole == usage(json.encode(told))


def test_details_are_always_there_as_integers():
    """Some clients read them unchecked."""
    told = written(Usage())
    assert 0 == told["prompt_tokens_details"]["cached_tokens"]
    assert 0 == told["completion_tokens_details"]["reasoning_tokens"]
    assert "image_tokens" not in told["prompt_tokens_details"]
