"""A whole embeddings answer."""

import pytest

from trivium.faults import Fault
from trivium.wire.embeddings.passage import PASSAGE, facts
from trivium.wire.peek import members


def test_usage_is_all_input(recorded):
    """Nothing is generated."""
    found = PASSAGE.answer(recorded("embeddings", "float.json"))
    assert found.usage.input_total > 0
    assert 0 == found.usage.output_total


@pytest.mark.parametrize("given", [b'"x"', b'["a","b"]', b"[1,2]", b"[[1],[2]]"])
def test_every_kind_of_input_travels_as_it_is(given):
    """Texts and token ids; what SDKs ask for (base64) stays asked for."""
    body = members(b'{"model":"m","input":%b,"encoding_format":"base64"}' % given)
    found = facts(body)
    assert ("m", 0, False) == (found.model, found.output_max, found.stream)
    assert {} == PASSAGE.changes(body, found, "m", True)
    assert {"model": b'"own"'} == PASSAGE.changes(body, found, "own", True)


@pytest.mark.parametrize(
    ("raw", "param"), [(b'{"model":"m"}', "input"), (b'{"input":"x"}', "model")]
)
def test_what_is_missing_is_named(raw, param):
    """Both are required."""
    with pytest.raises(Fault) as caught:
        facts(members(raw))
    assert param == caught.value.param
