"""A whole embeddings answer."""

from trivium.wire.embeddings.response import answer


def test_usage_is_all_input(recorded):
    """Nothing is generated."""
    found = answer(recorded("embeddings", "float.json"))
    assert found.usage.input_total > 0
    assert 0 == found.usage.output_total
