"""Citations by bytes and by code points."""

import pytest

from trivium.conversation.parts import Citation
from trivium.wire.generate.citations import Offsets, citations, grounding, queries

TEXTS = {
    "ascii": "plain words " * 200,
    "mixed": "a\u00e9\u6674\U0001f600 " * 300,
    "short": "\u6674",
    "half a pair": "a\ud83d b",
    "empty": "",
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_place_is_found_both_ways(name):
    """As counting from the start finds it; inside of a character there is no place."""
    text = TEXTS[name]
    offsets = Offsets(text)
    ends = {0: 0}
    for at in range(1, len(text) + 1):
        ends[at] = ends[at - 1] + len(text[at - 1].encode("utf-8", "surrogatepass"))
        assert ends[at] == offsets.in_bytes(at)
    places = {size: at for at, size in ends.items()}
    for size in range(-1, ends[len(text)] + 2):
        assert places.get(size) == offsets.in_characters(size)


def test_what_citations_quote_is_bounded():
    """Thousands that quote all of a long text would be thousands of it."""
    text = "x" * 100_000
    offsets = Offsets(text)
    quoted = [offsets.quoted(0, len(text)) for _ in range(50)]
    assert [text, text] == quoted[:2]
    assert {None} == set(quoted[2:])


TEXT = "Grüße aus Köln."
SOURCES = [{"web": {"uri": "https://a.example", "title": "A"}}]


def supported(**segment):
    return {
        "groundingChunks": SOURCES,
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
    }


@pytest.mark.parametrize(
    ("segment", "span"),
    [
        ({"startIndex": 0, "endIndex": 7}, (0, 5)),
        ({"endIndex": 7}, (0, 5)),
        ({"startIndex": 12, "endIndex": 17}, (10, 14)),
        ({"startIndex": 3, "endIndex": 4}, (None, None)),  # the middle of a character
        ({"startIndex": 0, "endIndex": 99}, (None, None)),
        ({"startIndex": 5, "endIndex": 5}, (None, None)),
        ({"startIndex": "0", "endIndex": 7}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_bytes_become_code_points_and_nothing_is_made_up(segment, span):
    """An offset that cannot be is none."""
    assert [Citation("https://a.example", "A", *span)] == citations(
        supported(**segment), None, TEXT
    )


@pytest.mark.parametrize(
    ("found", "sources", "cited"),
    [
        ({"groundingChunks": SOURCES}, None, [Citation("https://a.example", "A")]),
        (
            {"groundingChunks": [{"retrievedContext": {"title": "B"}}, {"new": {}}, 5]},
            None,
            [Citation(None, "B")],
        ),
        (
            None,
            {"citations": [{"uri": "https://c.example", "startIndex": 0, "endIndex": 7}, {}]},
            [Citation("https://c.example", None, 0, 5)],
        ),
        ({"groundingChunks": "x", "groundingSupports": 3}, "y", []),
        (
            {
                "groundingChunks": SOURCES,
                "groundingSupports": [{"segment": None, "groundingChunkIndices": [7, -1, "0"]}],
            },
            None,
            [],
        ),
    ],
)
def test_sources_of_every_kind_and_nonsense(found, sources, cited):
    """What is no source is no citation."""
    assert cited == citations(found, sources, TEXT)


def test_code_points_become_bytes_again():
    """What is written reads as the same citations."""
    cited = [
        Citation("https://a.example", "A", 0, 5),
        Citation("https://b.example", None, 10, 14),
        Citation("https://a.example", "A", 10, 14),
        Citation(None, "no address"),
    ]
    found = grounding([(0, TEXT, cited)])
    assert 2 == len(found["groundingChunks"])
    assert {"startIndex": 12, "endIndex": 17, "text": "Köln"} == found["groundingSupports"][1][
        "segment"
    ]
    assert cited[:3] == citations(found, None, TEXT)


def test_a_text_without_sources_has_no_grounding():
    """No empty member."""
    assert grounding([(0, TEXT, [Citation(None, "x")]), (1, TEXT, [])]) is None


def test_what_was_searched_for_is_said_once_for_the_candidate():
    """With sources or without; what is no list of words is nothing."""
    found = grounding([], ["q", "r"])
    assert {"webSearchQueries": ["q", "r"]} == found
    assert ("q", "r") == queries(found)
    assert ("q",) == queries({"webSearchQueries": ["q", 1, ""]})
    assert () == queries({"webSearchQueries": "q"}) == queries(None)


def test_the_part_is_named_unless_it_is_the_first():
    """proto3 leaves zeroes out."""
    found = grounding([(2, "ab", [Citation("https://a.example", None, 0, 1)])])
    assert 2 == found["groundingSupports"][0]["segment"]["partIndex"]


def test_offsets_are_the_same_wherever_they_lie():
    """In a text longer than what is marked of it, both ways, at each character."""
    text = "日a本" * 1500
    spans = [(at, at + 1) for at in range(0, len(text), 7)] + [(0, len(text)), (1023, 1025)]
    cited = [Citation("https://example.org", "t", start, end) for start, end in spans]
    told = grounding([(0, text, cited)])
    segments = [row["segment"] for row in told["groundingSupports"]]
    assert [len(text[:start].encode()) for start, _ in spans] == [
        one["startIndex"] for one in segments
    ]
    assert [text[start:end] for start, end in spans] == [one["text"] for one in segments]
    assert cited == citations(told, None, text)
    middle = {"segment": {"startIndex": 1, "endIndex": 3}, "groundingChunkIndices": [0]}
    (whole,) = citations(told | {"groundingSupports": [middle]}, None, text)
    assert (None, None) == (whole.start, whole.end)
