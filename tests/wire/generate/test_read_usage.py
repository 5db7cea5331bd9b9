"""Generate-content usage to the canonical record."""

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.generate.read_usage import complete, merged, usage


def rows(*pairs):
    """A ``…TokensDetails`` list."""
    return [{"modality": modality, "tokenCount": tokens} for modality, tokens in pairs]


@pytest.mark.parametrize(
    ("reported", "wanted"),
    [
        # recorded: gemma-4 and gemini-3.6-flash
        (
            {
                "promptTokenCount": 6,
                "candidatesTokenCount": 1,
                "thoughtsTokenCount": 76,
                "totalTokenCount": 83,
            },
            Usage(fresh=6, output=1, reasoning=76),
        ),
        (
            {
                "promptTokenCount": 55,
                "candidatesTokenCount": 51,
                "toolUsePromptTokenCount": 89,
                "thoughtsTokenCount": 56,
                "totalTokenCount": 251,
            },
            Usage(fresh=55 + 89, output=51, reasoning=56),
        ),
        # the cache is a part of the prompt
        (
            {"promptTokenCount": 5000, "cachedContentTokenCount": 4200, "totalTokenCount": 5000},
            Usage(fresh=800, cache_read=4200),
        ),
        ({"promptTokenCount": 5, "cachedContentTokenCount": 9}, Usage(cache_read=5)),
        # the total tells that thoughts are inside the candidates
        (
            {
                "promptTokenCount": 10,
                "candidatesTokenCount": 30,
                "thoughtsTokenCount": 20,
                "totalTokenCount": 40,
            },
            Usage(fresh=10, output=10, reasoning=20),
        ),
        # a total that fits nothing changes nothing
        (
            {
                "promptTokenCount": 10,
                "candidatesTokenCount": 30,
                "thoughtsTokenCount": 20,
                "totalTokenCount": 7,
            },
            Usage(fresh=10, output=30, reasoning=20),
        ),
        ({"promptTokenCount": "10", "candidatesTokenCount": 3.0}, Usage(fresh=10, output=3)),
        # media
        (
            {
                "promptTokenCount": 100,
                "promptTokensDetails": rows(("TEXT", 10), ("AUDIO", 60), ("IMAGE", 30)),
            },
            Usage(fresh=10, audio_input=60, image_input=30),
        ),
        (
            {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 50,
                "promptTokensDetails": rows(("TEXT", 40), ("AUDIO", 60)),
                "cacheTokensDetails": rows(("AUDIO", 50)),
            },
            Usage(fresh=40, cache_read=50, audio_input=10),
        ),
        (
            {
                "promptTokenCount": 100,
                "promptTokensDetails": rows(("VIDEO", 50), ("DOCUMENT", 40), ("TEXT", 10)),
            },
            Usage(fresh=100),
        ),
        (
            {
                "candidatesTokenCount": 1300,
                "candidatesTokensDetails": rows(("IMAGE", 1290), ("AUDIO", 7)),
            },
            Usage(output=3, audio_output=7, image_output=1290),
        ),
        # no part exceeds its whole
        (
            {
                "promptTokenCount": 10,
                "candidatesTokenCount": 10,
                "promptTokensDetails": rows(("AUDIO", 8), ("IMAGE", 8)),
                "candidatesTokensDetails": rows(("AUDIO", 8), ("IMAGE", 8)),
            },
            Usage(audio_input=8, image_input=2, audio_output=8, image_output=2),
        ),
        ({"promptTokenCount": 3, "promptTokensDetails": ["odd", None]}, Usage(fresh=3)),
        ({"promptTokenCount": 3, "promptTokensDetails": {}}, Usage(fresh=3)),
        ({"promptTokenCount": 0}, Usage()),
        ({"totalTokenCount": 9}, None),
        ({"trafficType": "ON_DEMAND"}, None),
        # nonsense is worse than nothing
        ({"promptTokenCount": "many"}, None),
        ({"promptTokenCount": 6, "candidatesTokenCount": -1}, None),
        ({"promptTokenCount": 6, "cachedContentTokenCount": "x"}, None),
        ({"promptTokenCount": 6, "promptTokensDetails": rows(("AUDIO", "x"))}, None),
        ({}, None),
        (None, None),
        ([], None),
    ],
)
def test_counters_become_disjoint(reported, wanted):
    """Each token is counted once, under the price it has."""
    assert wanted == usage(reported)


@pytest.mark.parametrize(
    ("reported", "wanted"),
    [
        ({"promptTokenCount": 6, "totalTokenCount": 6}, True),
        ({"promptTokenCount": 6, "thoughtsTokenCount": 4, "totalTokenCount": "10"}, True),
        ({"candidatesTokenCount": 9, "thoughtsTokenCount": 4, "totalTokenCount": 9}, True),
        ({"promptTokenCount": 6, "totalTokenCount": 10}, False),
        ({"promptTokenCount": 6}, False),
        ({"promptTokenCount": -6, "candidatesTokenCount": 12, "totalTokenCount": 6}, False),
        ({"promptTokenCount": 6, "totalTokenCount": "x"}, False),
        ({"totalTokenCount": 0}, False),
        ({}, False),
    ],
)
def test_the_total_tells_whether_a_counter_is_missing(reported, wanted):
    """Its only use: it is never billed itself."""
    assert wanted is complete(reported)


def test_a_complete_snapshot_replaces_all_but_the_cached_count():
    """A stream repeats its counters; the cached one is in no total and may be left out."""
    before = {"promptTokenCount": 9, "thoughtsTokenCount": 5, "cachedContentTokenCount": 4}
    complete_one = {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}
    assert {**complete_one, "cachedContentTokenCount": 4} == merged(before, complete_one)
    assert complete_one == merged({"thoughtsTokenCount": 5}, complete_one)
    with_null = {**complete_one, "cachedContentTokenCount": None}
    assert 4 == merged(before, with_null)["cachedContentTokenCount"]


def test_an_incomplete_snapshot_fills_in():
    """What it leaves out, or null, keeps its last value."""
    before = {"promptTokenCount": 9, "thoughtsTokenCount": 5}
    assert {"promptTokenCount": 9, "thoughtsTokenCount": 5, "candidatesTokenCount": 2} == merged(
        before, {"candidatesTokenCount": 2, "thoughtsTokenCount": None}
    )


def test_a_snapshot_without_counters_changes_nothing():
    """Vertex sends its tier alone."""
    before = {"promptTokenCount": 9}
    assert before == merged(before, {"trafficType": "ON_DEMAND"})


def test_what_is_not_read_is_not_kept_of_several():
    """A stream may name another counter in each of a hundred thousand chunks."""
    before = {"promptTokenCount": 9, "x": 1}
    after = merged(before, {"candidatesTokenCount": 2, "y": 1})
    assert {"promptTokenCount": 9, "candidatesTokenCount": 2} == after
