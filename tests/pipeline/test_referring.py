"""What a request refers to is foreseen for accounts that have a limit."""

from types import SimpleNamespace

import pytest

from trivium.pipeline.referring import weighed
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts
from trivium.wire.references import ANYTHING

BODY = b'{"contents":[{"parts":[{"fileData":{"fileUri":"https://example.com/v"}}]}]}'


@pytest.mark.parametrize(
    ("unlimited", "budgets", "referred"),
    [(False, (), ANYTHING), (True, (), 0), (True, ("budget",), ANYTHING)],
)
def test_a_bound_is_set_where_anything_limits_what_is_spent(unlimited, budgets, referred):
    """And kept for whatever is quoted later."""
    caller = SimpleNamespace(unlimited=unlimited, budgets=budgets)
    facts = Facts(model="m")
    exchange = SimpleNamespace(caller=caller)
    story = SimpleNamespace(exchange=exchange, operation=Operation.GENERATE, body=BODY, facts=facts)
    assert referred == weighed(story, facts).referred == story.facts.referred
