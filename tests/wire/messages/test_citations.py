"""Citations, both ways."""

import json

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Citation, Native, Text
from trivium.wire.messages.citations import read, read_all, segments, written


@pytest.mark.parametrize(
    ("members", "url", "title"),
    [
        (
            {"type": "web_search_result_location", "url": "https://a.example", "title": "A"},
            "https://a.example",
            "A",
        ),
        (
            {"type": "search_result_location", "source": "https://a.example", "title": "A"},
            "https://a.example",
            "A",
        ),
        ({"type": "search_result_location", "source": "notes"}, None, None),
        ({"type": "page_location", "document_title": "D"}, None, "D"),
        ({"type": "char_location", "url": 5, "document_title": 6}, None, None),
    ],
)
def test_a_citation_keeps_what_others_can_show_and_its_own_form(members, url, title):
    """Only an address of the web is a URL; read and written again it is the same JSON."""
    raw = json.dumps({**members, "cited_text": "words"}).encode()
    found = read(raw)
    assert Citation(url, title, quoted="words", native=Native("messages", raw)) == found
    assert raw == written(found)


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"5", b"[5]", b"{"])
def test_nonsense_is_no_citation(raw):
    """Answers are read tolerantly."""
    assert () == read_all(raw)


def test_another_vendors_citation_needs_a_url():
    """Nothing is made up for one that has none."""
    assert None is written(Citation(title="A file", native=Native("responses", b"{}")))
    told = json.loads(written(Citation("https://a.example", "A"), "covered"))
    assert ("https://a.example", "covered", "") == (
        told["url"],
        told["cited_text"],
        told["encrypted_index"],
    )


def test_a_citation_that_was_told_in_this_shape_comes_back_as_the_other_vendors(wires):
    """Its index is none: the vendor of this shape is not sent what it never gave."""
    told = written(Citation("https://a.example", "A", quoted="words"))
    assert Citation("https://a.example", "A", quoted="words") == read(told)
    cited = Text("Yes.", (read(told),))
    turns = (Turn(Role.USER, (Text("Go"),)), Turn(Role.ASSISTANT, (cited,)))
    body, report = wires.write(wires.request(shape="messages", turns=turns))
    assert [{"type": "text", "text": "Yes."}] == body["messages"][1]["content"]
    assert ["citations"] == [one.member for one in report.drops]


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], [("abcdef", [])]),
        ([(None, None)], [("abcdef", [0])]),
        ([(0, 6)], [("abcdef", [0])]),
        ([(2, 4)], [("ab", []), ("cd", [0]), ("ef", [])]),
        ([(0, 4), (2, 6)], [("ab", [0]), ("cd", [0, 1]), ("ef", [1])]),
        ([(2, 4), (None, None)], [("ab", [1]), ("cd", [0]), ("ef", [])]),
        ([(4, 99)], [("abcd", []), ("ef", [0])]),
    ],
)
def test_a_text_is_cut_where_its_citations_begin_and_end(ranges, expected):
    """Each stretch has those that cover it; together the stretches are the text."""
    cited = tuple(Citation(f"https://{at}.example", None, *one) for at, one in enumerate(ranges))
    assert [(text, tuple(cited[at] for at in which)) for text, which in expected] == segments(
        Text("abcdef", cited)
    )
