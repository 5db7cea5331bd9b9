"""The catalogue's nouns."""

from trivium.routing.model import Model
from trivium.wire.operation import COUNTING, TRANSLATED, Operation


def test_a_model_serves_what_any_of_its_bindings_does(bind):
    """Itself; and every conversation shape, through translation, if it speaks one."""
    model = Model(name="m", bindings=(bind(provider="both"), bind(provider="anthropic")))

    assert TRANSLATED | COUNTING | {Operation.COMPLETIONS} == model.operations()
    assert frozenset() == Model(name="m", bindings=()).operations()
