"""Budgets of a key together with those of whom and what its request is for, put together once.

The ledger knows what a request counts against by the identity of its budgets, as those of a key
stay the same object until somebody changes them. So do these: whatever is changed is another
object, and is put together anew.
"""

from typing import Final

import msgspec

from trivium.admission.end_users import scope_of
from trivium.settings.budget import REMEMBERED_MAX, Budget

Budgets = tuple[Budget, ...]

WHOSE: Final = "this end user"


class CombinedBudgets:
    """The budgets of requests that count against more than their key's."""

    __slots__ = ("_end_users", "_whole")

    def __init__(self) -> None:
        self._whole: dict[tuple[int, ...], tuple[list[Budgets], Budgets]] = {}
        """By the identities of the parts, which are kept for as long."""
        self._end_users: dict[tuple[int, str], tuple[Budgets, Budgets]] = {}
        """By key and end user: what the key says of each, and that with its scope."""

    def whole(self, parts: list[Budgets]) -> Budgets:
        """All of the parts, in their order; the same object for the same objects."""
        if len(parts) == 1:
            return parts[0]
        named = tuple([id(part) for part in parts])
        found = self._whole.get(named)
        if found is None:
            if len(self._whole) >= REMEMBERED_MAX:
                self._whole.clear()
            found = self._whole[named] = parts, tuple([each for part in parts for each in part])
        return found[1]

    def end_user(self, of_each: Budgets, key_id: int, name: str) -> Budgets:
        """The budgets that a key has for each end user, as those of this one."""
        found = self._end_users.get((key_id, name))
        if found is None or found[0] is not of_each:
            if len(self._end_users) >= REMEMBERED_MAX:
                self._end_users.clear()
            scope = scope_of(key_id, name)
            own = tuple(
                [msgspec.structs.replace(each, scope=scope, whose=WHOSE) for each in of_each]
            )
            found = self._end_users[key_id, name] = of_each, own
        return found[1]
