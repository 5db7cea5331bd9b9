"""What a caller wishes of the route: headers, or a body member ``trivium`` that says the same.

=======================  ==================  ====================================================
header                   member              meaning
=======================  ==================  ====================================================
``trivium-channel: a``   ``channel: "a"``    this channel and no other
``trivium-only: a, b``   ``only: [..]``      these and no others
``trivium-order: b, a``  ``order: [..]``     these first, in this order, then the others
``trivium-max-cost``     ``max_cost: "…"``   US dollars that the request may cost at most
=======================  ==================  ====================================================

A wish moves and removes channels of the plan; it never adds one, nor wakes one that rests. Where
header and member say the same thing, the header counts.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.routing.candidates import PreferencesMember, RoutingPreferences
from trivium.routing.model import Plan, Skip, Step

MEMBER: Final = "trivium"
HEADERS: Final = frozenset(
    {b"trivium-channel", b"trivium-only", b"trivium-order", b"trivium-max-cost"}
)
NAMES_MAX: Final = 50
_NANOS: Final = 1_000_000_000


_decode: Final = msgspec.json.Decoder(PreferencesMember).decode


def read(header: Callable[[bytes], bytes | None], member: bytes | None) -> RoutingPreferences:
    """The wishes of one request. Raises ``Fault`` (INVALID_VALUE) naming header or member."""
    told = PreferencesMember()
    if member is not None:
        try:
            told = _decode(member)
        except msgspec.DecodeError as exc:
            raise _bad(MEMBER, f"{exc}", '{"order": ["openai-main"], "max_cost": "0.05"}') from None
    channel = header(b"trivium-channel")
    only = _names(header(b"trivium-only")) or told.only
    if channel is not None or (not only and told.channel is not None):
        only = _names(channel) if channel is not None else (told.channel or "",)
    order = _names(header(b"trivium-order")) or told.order
    if len(only) > NAMES_MAX or len(order) > NAMES_MAX:
        raise _bad(MEMBER, f"it names more than {NAMES_MAX} channels", '{"only": ["openai-main"]}')
    cost = header(b"trivium-max-cost")
    text = told.max_cost if cost is None else cost.decode("latin-1")
    return RoutingPreferences(
        only=only, order=order, max_cost_nanos=None if text is None else _nanos(text)
    )


def prefer(plan: Plan, wishes: RoutingPreferences) -> Plan:
    """The plan as the caller wishes it. Raises ``Fault`` (INVALID_VALUE) when nothing is left."""
    steps, skipped = list(plan.steps), list(plan.skipped)
    if wishes.only:
        steps = [step for step in plan.steps if _name(step) in wishes.only]
        skipped += [
            Skip(binding=step.binding, why="not among the channels the caller asked for")
            for step in plan.steps
            if _name(step) not in wishes.only
        ]
        if not steps:
            raise Fault(
                Kind.INVALID_VALUE,
                f"None of the channels asked for ({', '.join(wishes.only)[:200]}) serves this "
                "request. Name others in `trivium-only`, or leave it out.",
                param="trivium-only",
            )
    if wishes.order:
        rank = {name: place for place, name in reversed(list(enumerate(wishes.order)))}
        steps = [
            msgspec.structs.replace(step, why=f"{step.why}, asked for")
            if _name(step) in rank
            else step
            for step in sorted(steps, key=lambda step: rank.get(_name(step), len(rank)))
        ]
    return Plan(steps=tuple(steps), skipped=tuple(skipped))


def too_dear(wishes: RoutingPreferences, nanos: int) -> Fault | None:
    """Why a request is refused that may cost so many nano-dollars; ``None``: it is not."""
    most = wishes.max_cost_nanos
    if most is None or nanos <= most:
        return None
    return Fault(
        Kind.INVALID_VALUE,
        f"This request may cost up to ${Decimal(nanos) / _NANOS:f}, more than the "
        f"${Decimal(most) / _NANOS:f} of `trivium-max-cost`. Ask for less (output "
        "tokens, pictures, seconds), or allow more.",
        param="trivium-max-cost",
    )


def _name(step: Step) -> str:
    return step.binding.channel.name


def _names(text: bytes | None) -> tuple[str, ...]:
    if text is None:
        return ()
    return tuple(name for one in text.decode("latin-1").split(",") if (name := one.strip()))


def _nanos(text: str) -> int:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or value < 0 or value > 1_000_000:
        raise _bad("trivium-max-cost", "it is not an amount of US dollars", "0.05")
    return int(value * _NANOS)


def _bad(param: str, why: str, example: str) -> Fault:
    return Fault(
        Kind.INVALID_VALUE, f"`{param}` cannot be used: {why}. Example: {example}", param=param
    )
