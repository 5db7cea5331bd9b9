"""Citations, both ways."""

from trivium.wire.chat.citations import annotation, citations

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
