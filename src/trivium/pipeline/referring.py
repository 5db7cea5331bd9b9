"""What a request refers to is foreseen as well: its body holds no more than an address."""

import msgspec

from trivium.pipeline.story import Story
from trivium.wire import references
from trivium.wire.operation import SHAPE
from trivium.wire.passage import Facts


def weighed(story: Story, facts: Facts) -> Facts:
    """The facts with the most that what is referred to may come to, for callers with a limit.

    The story keeps them: what is quoted later is quoted alike.
    """
    # HOT: once a request
    caller = story.exchange.caller
    assert caller is not None
    if caller.unlimited and not caller.budgets:
        return facts
    referred = references.tokens(story.body, SHAPE[story.operation])
    if referred:
        story.facts = facts = msgspec.structs.replace(facts, referred=referred)
    return facts
