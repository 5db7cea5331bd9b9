"""The description of Cohere's shape."""

from trivium.edge.openapi import cohere


def test_both_operations_are_described():
    """With schemas of their own."""
    assert {row.path for row in cohere.OPERATIONS} == {"/v2/chat", "/v2/embed"}
    for row in cohere.OPERATIONS:
        assert {row.request, *row.answer} <= set(cohere.SCHEMAS)
