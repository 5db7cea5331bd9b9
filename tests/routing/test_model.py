"""The catalogue's nouns."""

import msgspec

from trivium.routing.model import Model
from trivium.wire.operation import TOKEN_COUNTS, TRANSLATABLE, Operation, Shape


def test_a_model_serves_what_any_of_its_bindings_does(bind):
    """Itself; and every conversation shape, through translation, if it speaks one."""
    model = Model(name="m", bindings=(bind(provider="both"), bind(provider="anthropic")))

    assert TRANSLATABLE | TOKEN_COUNTS | {Operation.COMPLETIONS} == model.operations()
    assert frozenset() == Model(name="m", bindings=()).operations()


def test_what_a_model_takes_is_worked_out_once(bind):
    """By each shape it may be asked in, the shipped profile under the operator's."""
    binding = bind(model="o3-mini")
    assert {Shape.CHAT, Shape.RESPONSES} == set(binding.targets)
    facts = binding.targets[Shape.CHAT]
    assert ("max_completion_tokens", "the chat shape of o3-mini") == (
        facts.output_member,
        facts.title,
    )
    told = msgspec.structs.replace(binding, profile={"output_member": "max_tokens"})
    assert "max_tokens" == told.targets[Shape.CHAT].output_member
    assert facts.refuses == told.targets[Shape.CHAT].refuses
    other = msgspec.structs.replace(binding, model="gpt-4o")
    assert "max_tokens" == other.targets[Shape.CHAT].output_member
