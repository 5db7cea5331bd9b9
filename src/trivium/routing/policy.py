"""Which channels may answer a request, and in what order. Pure: chance comes in as an argument.

Bindings that can serve the caller's operation, lower priority numbers first; within one priority
those that speak the caller's own shape before those that need a translation, each group in a random
order in which a binding comes first as often as its weight says, or as the model's strategy
prefers. A binding of weight 0 is the last resort of its priority: after all others, in the order of
the file.
"""

import itertools
import math
from collections.abc import Callable
from hashlib import blake2b
from itertools import groupby
from typing import Final

import msgspec

from trivium.conversation.opaque import StateOrigin
from trivium.routing.candidates import Candidates, PriorityTier
from trivium.routing.model import Binding, Model, Plan, Skip, Step, Strategy
from trivium.wire.operation import (
    EMBEDDING_OPERATIONS,
    IMAGE_OPERATIONS,
    SHAPE,
    SPOKEN,
    SUBSTITUTES,
    TITLES,
    TRANSLATABLE,
    Operation,
    Shape,
)

ASKED: Final = {
    Shape.CHAT: Operation.CHAT,
    Shape.MESSAGES: Operation.MESSAGES,
    Shape.GENERATE: Operation.GENERATE,
    Shape.CONVERSE: Operation.CONVERSE,
    Shape.RESPONSES: Operation.RESPONSES,
    Shape.COHERE: Operation.COHERE_CHAT,
    Shape.VENDOR: Operation.VENDOR,
}
"""What a shape's upstream is asked for, whole or streamed."""

PREFERRED: Final = (
    Shape.COHERE,
    Shape.CHAT,
    Shape.MESSAGES,
    Shape.GENERATE,
    Shape.CONVERSE,
    Shape.VENDOR,
    Shape.RESPONSES,
)
"""Which shape is spoken to a provider that lacks the caller's and whose binding names none.
Cohere's own is first: whoever has it offers chat as a copy that says less. Responses is last: it is
the only one that keeps state at the vendor."""

ORDERS_MAX: Final = 24
"""Orders of one model's channels that are kept ready: those of four alike."""


def candidates(model: Model, operation: Operation) -> Candidates:
    """Sort a model's bindings into those that can serve the operation and those that cannot."""
    usable: list[tuple[Binding, Operation]] = []
    skipped: list[Skip] = []
    for binding in model.bindings:
        upstream = served_as(binding, operation)
        if upstream is None:
            skipped.append(Skip(binding=binding, why=_obstacle(binding, operation)))
        else:
            usable.append((binding, upstream))
    usable.sort(key=lambda pair: _rank(pair, operation))
    tiers = tuple(
        _tier(list(group), operation)
        for _, group in groupby(usable, lambda pair: _rank(pair, operation))
    )
    drawn = any(len(tier.weighted) > 1 for tier in tiers)
    only = None
    if not drawn:
        steps = tuple(
            step for tier in tiers for step in (*(s for s, _ in tier.weighted), *tier.last)
        )
        only = Plan(steps=steps, skipped=tuple(skipped))
    by_weight = drawn and model.strategy is Strategy.WEIGHT
    ready = _orders(tiers, tuple(skipped)) if by_weight else ()
    return Candidates(tiers, tuple(skipped), only, model.strategy, ready)


def _orders(
    tiers: tuple[PriorityTier, ...], skipped: tuple[Skip, ...]
) -> tuple[tuple[float, Plan], ...]:
    """Every order of the tiers with its share, added up; nothing if there are more than a few.

    Without replacement, each place goes by weight among those that are left: the law that the
    rings in ``order`` obey.
    """
    if math.prod(math.factorial(len(tier.weighted)) for tier in tiers) > ORDERS_MAX:
        return ()
    whole: list[tuple[float, tuple[Step, ...]]] = [(1.0, ())]
    for tier in tiers:
        whole = [
            (share * part, steps + tuple(step for step, _ in placed) + tier.last)
            for share, steps in whole
            for placed in itertools.permutations(tier.weighted)
            for part in (_share([weight for _, weight in placed]),)
        ]
    shares = itertools.accumulate(share for share, _ in whole)
    plans = (Plan(steps=steps, skipped=skipped) for _, steps in whole)
    return tuple(zip(shares, plans, strict=True))


def _share(weights: list[int]) -> float:
    """How often weights come in this order."""
    left, share = sum(weights), 1.0
    for weight in weights:
        share *= weight / left
        left -= weight
    return share


def served_as(binding: Binding, operation: Operation) -> Operation | None:
    """What a binding is asked for to serve an operation: itself, a translation, or nothing.

    The binding's ``shape`` setting decides for conversations; else the caller's own shape where
    the provider has it, else the first of ``PREFERRED`` that it has.
    """
    paths = binding.channel.provider.paths
    told = binding.shape
    if operation in paths and _speaks(binding, operation):
        return operation
    if operation in IMAGE_OPERATIONS:
        able = operation is not Operation.IMAGES_VARY and binding.draws
        return Operation.GENERATE if able else None
    if operation in SUBSTITUTES:
        return next(
            (one for one in SUBSTITUTES[operation] if one in paths and _speaks(binding, one)), None
        )
    if operation not in TRANSLATABLE and operation is not Operation.COMPLETIONS:
        return None
    wanted = PREFERRED if told is None else (told,)
    return next((ASKED[shape] for shape in wanted if ASKED[shape] in paths), None)


def _speaks(binding: Binding, operation: Operation) -> bool:
    """Whether the ``shape`` setting leaves an operation to the binding."""
    shape = SHAPE[operation]
    if shape not in SPOKEN or operation in EMBEDDING_OPERATIONS:
        return True
    return binding.shape in (None, shape)


def _rank(pair: tuple[Binding, Operation], operation: Operation) -> tuple[int, bool]:
    """Priority first; within it whoever needs no translation."""
    binding, upstream = pair
    return binding.priority, upstream is not operation


def _obstacle(binding: Binding, operation: Operation) -> str:
    """Why a binding cannot serve an operation."""
    provider = binding.channel.provider
    if operation in provider.paths:
        return f"is set to speak {binding.shape.value if binding.shape else 'nothing'}"
    return f"{provider.title} does not serve {TITLES[operation]}"


def _tier(pairs: list[tuple[Binding, Operation]], operation: Operation) -> PriorityTier:
    total = sum(binding.weight for binding, _ in pairs)
    weighted: list[tuple[Step, int]] = []
    last: list[Step] = []
    for binding, upstream in pairs:
        why = f"priority {binding.priority}, weight {binding.weight} of {total}"
        if binding.weight == 0:
            why = f"priority {binding.priority}, weight 0: last resort"
        if upstream is not operation:
            why += f", translated to {TITLES[upstream]}"
        step = Step(binding=binding, operation=upstream, why=why)
        if binding.weight == 0:
            last.append(step)
        else:
            weighted.append((step, binding.weight))
    return PriorityTier(tuple(weighted), tuple(last))


def order(
    found: Candidates,
    draw: Callable[[], float],
    *,
    key: bytes = b"",
    expected: Callable[[Step], float] | None = None,
) -> Plan:
    """The candidates in the order of one draw. ``draw`` gives numbers from 0 to below 1.

    ``key``: what requests have in common that should meet the same prompt cache; it then decides
    in the place of chance, by weight all the same, and a channel that comes or goes moves only its
    own share (rendezvous hashing). ``expected``: seconds to a step's first byte.
    """
    if found.only is not None:
        return found.only
    if found.ready and not key:
        at = draw()
        for share, plan in found.ready:
            if at < share:
                return plan
        return found.ready[-1][1]  # the last share is 1 but for rounding
    steps: list[Step] = []
    for tier in found.tiers:
        if len(tier.weighted) == 1:
            steps.append(tier.weighted[0][0])
        else:
            # Each waits an exponential time of rate `weight`; the first to ring comes first.
            # Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006.
            rings = [
                -math.log(1.0 - (_drawn(key, step) if key else draw())) / weight
                for step, weight in tier.weighted
            ]
            ranks = sorted(range(len(rings)), key=rings.__getitem__)
            steps += _preferred(
                [tier.weighted[rank][0] for rank in ranks],
                found.strategy,
                None if key else expected,
            )
        steps += tier.last
    return Plan(steps=tuple(steps), skipped=found.skipped)


def _drawn(key: bytes, step: Step) -> float:
    """The number from 0 to below 1 that a key draws at a channel, everywhere and always."""
    name = step.binding.channel.name.encode()
    digest = blake2b(name, digest_size=6, key=blake2b(key, digest_size=32).digest()).digest()
    return int.from_bytes(digest) / 2.0**48


def _preferred(
    drawn: list[Step], strategy: Strategy, expected: Callable[[Step], float] | None
) -> list[Step]:
    """A tier's steps by what the operator prefers, and by chance where that leaves a choice."""
    if strategy is Strategy.PRICE:
        return sorted(drawn, key=lambda step: (step.binding.cost is None, step.binding.cost or 0))
    if strategy is Strategy.LATENCY and expected is not None:
        # the better of two drawn: the best of all would have everybody run to one channel at once
        first, second, *rest = drawn
        if expected(second) < expected(first):
            return [second, first, *rest]
    return drawn


def plan(model: Model, operation: Operation, draw: Callable[[], float]) -> Plan:
    """The whole decision in one call; no steps when no binding serves the operation."""
    return order(candidates(model, operation), draw)


def origin_of(step: Step) -> StateOrigin:
    """Whose opaque state a step's answer carries, and whose it can read."""
    channel = step.binding.channel
    shape = SHAPE[step.operation].value
    return StateOrigin(shape=shape, provider=channel.provider.name, account=channel.name)


def sticking(plan: Plan, maker: StateOrigin) -> Plan:
    """The plan with the maker of a conversation's state first, and the others as they were.

    A wish and no more: a maker that is not in the plan (gone, switched off, not usable now)
    changes nothing, and one that fails is followed by the others. Hints that a vendor's prompt
    cache is warm somewhere can move a step in the same way; state, which only one can read, goes
    before them.
    """
    own = [step for step in plan.steps if origin_of(step) == maker]
    if not own:
        return plan
    why = "made this conversation's state"
    first = [msgspec.structs.replace(step, why=f"{step.why}, {why}") for step in own]
    rest = [step for step in plan.steps if step not in own]
    return Plan(steps=(*first, *rest), skipped=plan.skipped)
