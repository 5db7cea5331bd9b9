"""Moderations requests: the only ones that may leave the model out."""

import pytest

from trivium.faults import Fault
from trivium.wire.moderations.request import MODEL, changes, facts
from trivium.wire.peek import members


def test_a_request_without_a_model_means_the_protocols_own():
    """And the channel is told so, or its own name for it."""
    body = members(b'{"input":"x"}')
    assert MODEL == facts(body).model
    assert {"model": b'"own"'} == changes(body, facts(body), "own", False)
    assert {"model": f'"{MODEL}"'.encode()} == changes(body, facts(body), MODEL, False)


def test_a_named_model_is_that_one():
    """Texts, lists and parts alike."""
    body = members(b'{"model":"m","input":[{"type":"text","text":"x"}]}')
    assert ("m", {}) == (facts(body).model, changes(body, facts(body), "m", False))


def test_input_is_required():
    """By name."""
    with pytest.raises(Fault) as caught:
        facts(members(b'{"model":"m"}'))
    assert "input" == caught.value.param
