"""A call for when keys have changed, so that the change need not wait for the next poll."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

InForce: TypeAlias = Callable[[], Awaitable[None]]
"""Puts in force what was just committed, where that can be done at once. Raises nothing."""


async def left_to_others() -> None:
    """Do nothing: this process has no snapshot, and running gateways find the change by
    themselves.
    """
