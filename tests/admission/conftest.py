"""Callers, models and a clock for admission."""

import pytest

from trivium.identity.model import Caller
from trivium.routing.model import Model
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts


@pytest.fixture
def caller():
    """Makes a caller with these limits."""

    def make(**more):
        known = {"key_id": 7, "user_id": 3, "payer_id": 3, "unlimited": False, "disabled": False}
        known |= {"expires_at": float("inf"), "models": frozenset(), "prefixes": ()}
        return Caller(**(known | more))

    return make


@pytest.fixture
def asked():
    """Arguments of ``admit`` for a short chat, but for what a test says."""

    def make(caller, *, model=None, body=b"x" * 40, output=10, request_id="r"):
        facts = RequestFacts(model="m", output_max=output)
        return (
            *(request_id, caller, model or Model(name="m", bindings=()), Operation.CHAT, facts),
            body,
        )

    return make
