"""Between steps of effort and budgets of thinking tokens, both ways.

The numbers are our judgement (docs/translation-model.md, "Reasoning"), the same for every pair of
shapes, so that a wish survives a round trip.
"""

from types import MappingProxyType
from typing import Final

from trivium.conversation.request import Effort, ReasoningSettings, Thinking
from trivium.conversation.target import TargetFacts

BUDGETS: Final = MappingProxyType(
    {
        Effort.MINIMAL: 1024,
        Effort.LOW: 2048,
        Effort.MEDIUM: 8192,
        Effort.HIGH: 16384,
        Effort.XHIGH: 32768,
        Effort.MAX: 65536,
    }
)
"""Tokens of thinking for each step."""

UNSAID: Final = 8192
"""Budget where thinking is wanted and nobody said how much."""

_ORDER: Final = tuple(Effort)


def effort_of(budget: int) -> Effort:
    """The step nearest to a budget; the lower of two that are equally near."""
    if budget <= 0:
        return Effort.NONE
    return min(BUDGETS, key=lambda step: (abs(BUDGETS[step] - budget), BUDGETS[step]))


def effort_alone(asked: ReasoningSettings) -> bool:
    """Whether a caller asks for a step of effort and says nothing else of reasoning."""
    bare = asked.switch is None and asked.budget is None and asked.shown is None
    return asked.effort is not None and bare and asked.style is None


def wished(wanted: ReasoningSettings | None) -> Effort | None:
    """Return the step of effort that a wish amounts to; ``None``: the model decides."""
    if wanted is None:
        return None
    if wanted.switch is Thinking.OFF:
        return Effort.NONE
    if wanted.effort is not None:
        return wanted.effort
    return effort_of(wanted.budget) if wanted.budget is not None else None


def inexact(wanted: ReasoningSettings | None) -> bool:
    """Whether a step stands for another number of tokens than was asked for."""
    if wanted is None or not wanted.budget or wanted.effort is not None:
        return False
    return BUDGETS[effort_of(wanted.budget)] != wanted.budget


def nearest(step: Effort, known: tuple[Effort, ...]) -> Effort | None:
    """The known step nearest to a wanted one, the lower of two; ``None`` when none is known."""
    if not known:
        return None
    at = _ORDER.index(step)
    return min(known, key=lambda one: (abs(_ORDER.index(one) - at), _ORDER.index(one)))


def budget_of(wanted: ReasoningSettings, facts: TargetFacts) -> int:
    """Tokens of thinking that a wish amounts to within the model's own bounds; 0: none."""
    if wanted.switch is Thinking.OFF or wanted.effort is Effort.NONE:
        return 0
    if wanted.budget is not None:
        budget = wanted.budget
    else:
        budget = UNSAID if wanted.effort is None else BUDGETS[wanted.effort]
    if facts.budget_max is not None:
        budget = min(budget, facts.budget_max)
    return max(budget, facts.budget_min)


def room(budget: int, output_max: int | None, facts: TargetFacts) -> tuple[int, int | None]:
    """A budget and an output limit that fit together: the budget stays below the limit.

    The caller's own limit stands and the budget gives way; where it has none, our default is
    raised. A limit that leaves no room for the model's least budget gives 0: thinking is off.
    """
    if output_max is None:
        least = facts.output_default
        if least is None or least > budget:
            return budget, least
        raised = budget + least
        if facts.output_cap is not None:
            raised = min(raised, facts.output_cap)
        return room(budget, raised, facts)
    if budget < output_max:
        return budget, output_max
    # half for the answer itself, or the model would think and say nothing
    shrunk = max(facts.budget_min, output_max // 2)
    return (shrunk, output_max) if shrunk < output_max else (0, output_max)
