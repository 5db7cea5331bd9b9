"""Citations and token probabilities, both ways."""

import msgspec

from trivium.conversation.parts import TokenLogprob
from trivium.wire.chat.chunk import Logprobs
from trivium.wire.chat.spans import annotation, citations, entries, tokens

CITED = {"type": "url_citation",
         "url_citation": {"url": "https://x", "title": "X", "start_index": 7, "end_index": 9}}  # fmt: skip


def test_a_citation_counts_from_its_own_part_and_back():
    """Chat counts from the beginning of the message."""
    found, *others = citations([CITED, 5, {"type": "other"}, {"url_citation": {}}], 5)
    assert [b'{"type":"other"}', b'{"url_citation":{}}'] == [one.native.data for one in others]
    assert {None} == {one.url for one in others}
    assert ("https://x", "X", 2, 4) == (found.url, found.title, found.start, found.end)
    assert CITED == annotation(found, 5, 100)


def test_a_citation_before_its_part_or_without_offsets_is_of_the_whole_part():
    """It is not lost."""
    (before,) = citations([CITED], 8)
    assert (None, None) == (before.start, before.end)
    assert (8, 18) == tuple(
        annotation(before, 8, 10)["url_citation"][name] for name in ("start_index", "end_index")
    )


def test_probabilities_survive_both_ways():
    """Bytes only where they are not the token's own."""
    raw = b'{"content":[{"token":"a","logprob":-1.5,"bytes":[97],"top_logprobs":[{"token":"?","logprob":-2.0,"bytes":[255]}]}]}'
    read = tokens(msgspec.json.decode(raw, type=Logprobs).content)
    assert (TokenLogprob("a", -1.5, (TokenLogprob("?", -2.0, (), b"\xff"),)),) == read
    assert msgspec.json.decode(raw)["content"] == entries(read)
    assert () == tokens(None)
