"""The first call to show to a newcomer: a model it may use, and what it takes to be answered."""

from collections.abc import Iterable, Sequence

import msgspec

from trivium.identity.model import Key, User
from trivium.routing.model import Model
from trivium.wire.operation import Operation


class FirstCall(msgspec.Struct, frozen=True, kw_only=True):
    """The model, address and key names of the example call."""

    model: str
    """A model that answers chats and that one of the keys may use; empty: there is none yet."""
    needs_credit: bool
    """Whether the account must be topped up before the call is answered."""


def first_call(
    keys: Sequence[Key], user: User, balance_nanos: int, models: Iterable[Model]
) -> FirstCall:
    """Return the first call that works with one of ``keys``, or with any key where there is none.

    Where the balance is used up, a model that is free comes before those that cost something.
    """
    usable = [
        model
        for model in models
        if (not keys or any(may_use(key, model.name) for key in keys))
        and model.bindings
        and Operation.CHAT in model.operations()
    ]
    spends = user.unlimited or balance_nanos > 0
    affordable = [model for model in usable if spends or model.free]
    found = next(iter(affordable or usable), None)
    return FirstCall(
        model="" if found is None else found.name,
        needs_credit=found is not None and not affordable,
    )


def may_use(key: Key, model: str) -> bool:
    """Return whether ``key`` may be used for ``model``; a key without a list may use every one."""
    return not key.models or any(
        model.startswith(name[:-1]) if name.endswith("*") else model == name for name in key.models
    )
