"""Which channels may answer a request, and in what order. Pure: chance comes in as an argument.

Bindings that serve the caller's operation natively, lower priority numbers first; within one
priority a random order in which a binding comes first as often as its weight says. A binding of
weight 0 is the last resort of its priority: after all others, in the order of the file.
"""

import math
from collections.abc import Callable
from itertools import groupby

import msgspec

from trivium.routing.model import Binding, Model, Plan, Skip, Step
from trivium.wire.operation import CONVERSATION, SHAPE, Operation, Shape

_EMBEDS = frozenset({Operation.GENERATE_EMBED, Operation.GENERATE_EMBED_BATCH})

TITLES = {
    Operation.CHAT: "chat completions",
    Operation.RESPONSES: "responses",
    Operation.COMPLETIONS: "completions",
    Operation.EMBEDDINGS: "embeddings",
    Operation.MODERATIONS: "moderations",
    Operation.MESSAGES: "messages",
    Operation.MESSAGES_COUNT: "message token counts",
    Operation.GENERATE: "generateContent",
    Operation.GENERATE_STREAM: "streamGenerateContent",
    Operation.GENERATE_COUNT: "countTokens",
    Operation.GENERATE_EMBED: "embedContent",
    Operation.GENERATE_EMBED_BATCH: "batchEmbedContents",
}
"""Operations by the names their callers know."""


class Tier(msgspec.Struct, frozen=True):
    """Bindings of one priority that may serve an operation."""

    weighted: tuple[tuple[Step, int], ...]
    """Steps with weights above 0."""
    last: tuple[Step, ...]
    """Steps of weight 0."""


class Candidates(msgspec.Struct, frozen=True):
    """All that a plan needs and that does not depend on chance."""

    tiers: tuple[Tier, ...]
    skipped: tuple[Skip, ...]
    only: Plan | None
    """The plan itself, when nothing is left to chance; ``None`` when there is a draw."""


def candidates(model: Model, operation: Operation) -> Candidates:
    """Sort a model's bindings into those that can serve the operation and those that cannot."""
    usable: list[Binding] = []
    skipped: list[Skip] = []
    for binding in model.bindings:
        why = _obstacle(binding, operation)
        if why:
            skipped.append(Skip(binding=binding, why=why))
        else:
            usable.append(binding)
    usable.sort(key=lambda binding: binding.priority)
    tiers = tuple(
        _tier(list(group), operation) for _, group in groupby(usable, lambda b: b.priority)
    )
    drawn = any(len(tier.weighted) > 1 for tier in tiers)
    only = None
    if not drawn:
        steps = tuple(
            step for tier in tiers for step in (*(s for s, _ in tier.weighted), *tier.last)
        )
        only = Plan(steps=steps, skipped=tuple(skipped))
    return Candidates(tiers, tuple(skipped), only)


def _obstacle(binding: Binding, operation: Operation) -> str:
    """Why a binding cannot serve an operation natively; empty when it can."""
    shape = SHAPE[operation]
    told = binding.shape
    if told is not None and told is not shape and _conversational(operation, shape):
        return f"speaks {told.value}, translation is not available for it"
    provider = binding.channel.provider
    if operation in provider.paths:
        return ""
    return f"{provider.title} does not serve {TITLES[operation]}"


def _conversational(operation: Operation, shape: Shape) -> bool:
    return shape in CONVERSATION and operation not in _EMBEDS


def _tier(bindings: list[Binding], operation: Operation) -> Tier:
    total = sum(binding.weight for binding in bindings)
    weighted: list[tuple[Step, int]] = []
    last: list[Step] = []
    for binding in bindings:
        why = f"priority {binding.priority}, weight {binding.weight} of {total}"
        if binding.weight == 0:
            why = f"priority {binding.priority}, weight 0: last resort"
        step = Step(binding=binding, operation=operation, why=why)
        if binding.weight == 0:
            last.append(step)
        else:
            weighted.append((step, binding.weight))
    return Tier(tuple(weighted), tuple(last))


def order(found: Candidates, draw: Callable[[], float]) -> Plan:
    """The candidates in the order of one draw. ``draw`` gives numbers from 0 to below 1."""
    if found.only is not None:
        return found.only
    steps: list[Step] = []
    for tier in found.tiers:
        if len(tier.weighted) == 1:
            steps.append(tier.weighted[0][0])
        else:
            # Each waits an exponential time of rate `weight`; the first to ring comes first.
            # Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006.
            rings = [-math.log(1.0 - draw()) / weight for _, weight in tier.weighted]
            ranks = sorted(range(len(rings)), key=rings.__getitem__)
            steps += [tier.weighted[rank][0] for rank in ranks]
        steps += tier.last
    return Plan(steps=tuple(steps), skipped=found.skipped)


def plan(model: Model, operation: Operation, draw: Callable[[], float]) -> Plan:
    """The whole decision in one call; no steps when no binding serves the operation."""
    return order(candidates(model, operation), draw)
