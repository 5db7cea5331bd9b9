"""A whole moderations answer."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.moderations.passage import answer


def test_it_has_no_usage_and_no_error(recorded):
    """The vendor reports none."""
    found = answer(recorded("moderations", "text.json"))
    assert (None, None) == (found.usage, found.error)


@pytest.mark.parametrize(
    "results",
    [b"[]", b"[{}]", b'[{"flagged":null}]', b'[{"flagged":true},{"flagged":"no"}]', b"[1]"],
)
def test_an_answer_without_a_verdict_is_none(results):
    """It would be taken for a clean bill."""
    with pytest.raises(Fault) as caught:
        answer(b'{"id":"m","model":"x","results":%b}' % results)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_is_told_as_one():
    """Whatever else is there."""
    assert b'{"message":"x"}' == answer(b'{"error":{"message":"x"},"results":[]}').error
