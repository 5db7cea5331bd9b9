"""Usage as callers of the shape read it."""

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.generate.read_usage import usage
from trivium.wire.generate.write_usage import metadata, tier_of


@pytest.mark.parametrize(
    ("counters", "shown"),
    [
        (Usage(), {"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0}),
        (
            Usage(fresh=6, cache_read=4, output=3, reasoning=20),
            {
                "promptTokenCount": 10,
                "candidatesTokenCount": 3,
                "cachedContentTokenCount": 4,
                "thoughtsTokenCount": 20,
                "totalTokenCount": 33,
            },
        ),
        (
            Usage(fresh=50, cache_read=100, cache_write_short=7, cache_write_long=3, output=1),
            {
                "promptTokenCount": 160,
                "candidatesTokenCount": 1,
                "cachedContentTokenCount": 100,
                "totalTokenCount": 161,
            },
        ),
    ],
)
def test_the_prompt_contains_the_cache_and_candidates_leave_thoughts_out(counters, shown):
    """Trap 160: each client reads its own convention."""
    assert shown == metadata(counters)


@pytest.mark.parametrize(
    "counters",
    [
        Usage(fresh=6, cache_read=4, output=3, reasoning=20),
        Usage(fresh=42, audio_input=800, image_input=258, output=5, image_output=1290),
        Usage(fresh=1, audio_output=9),
    ],
)
def test_what_is_written_reads_as_the_same_counters(counters):
    """Reader and writer are inverse, media details included."""
    assert counters == usage(metadata(counters))


@pytest.mark.parametrize(
    ("said", "tier"),
    [("standard", "default"), ("FLEX", "flex"), ("priority", "priority"), ("odd", None), (3, None)],
)
def test_the_tier_that_served_an_answer_is_read(said, tier):
    """In OpenAI's words, which all shapes share."""
    assert tier == tier_of({"serviceTier": said})
    assert tier_of({}) is None


def test_the_tier_is_told_where_the_vendor_tells_it():
    """Beside the counters; a tier that the vendor has not is left out."""
    assert "flex" == metadata(Usage(fresh=1), "flex")["serviceTier"]
    assert "standard" == metadata(Usage(fresh=1), "default")["serviceTier"]
    assert "serviceTier" not in metadata(Usage(fresh=1), "scale")
