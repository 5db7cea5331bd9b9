"""The catalogue's nouns."""

from trivium.routing.model import Model
from trivium.wire.operation import Operation


def test_a_model_serves_what_any_of_its_bindings_does(bind):
    """Natively."""
    model = Model(name="m", bindings=(bind(provider="both"), bind(provider="anthropic")))

    assert {Operation.CHAT, Operation.MESSAGES, Operation.MESSAGES_COUNT} == model.operations()
