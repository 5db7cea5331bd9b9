"""What covers the requests of keys with budgets: an account and all budgets as one number.

A request may count against many budgets at once, and nearly always finds room in each. So what it
needs is set aside of all of them together, for several requests in advance, and held of that by one
subtraction. To each account and budget what was set aside here is held: others find less free there
by that much, so a lease is never exceeded, whoever shares it. In between these do not know what was
held and spent of it. They are told with each turn of the database, when somebody finds too little
or has to wait, and when requests came to more than was set aside (``LeaseKeeper.fold``).
"""

from typing import Final

from trivium.ledger.allowance import Allowance
from trivium.settings.budget import Budget, CountedBudgets

AHEAD: Final = 32
"""Requests like the last one that are set aside at once, at most."""
SHARE: Final = 8
"""Of what is free beyond the need, at most one part in so many is set aside ahead of it."""
PLENTY: Final = 2**60
"""What is free where nothing has to cover a request."""


class Covering:
    """What has to cover requests with the same payer and budgets, and what counts them."""

    __slots__ = (
        "asked",
        "budgets",
        "counted",
        "hard",
        "is_changed",
        "is_limited",
        "is_open",
        "last",
        "payer_id",
        "recent",
        "removed",
        "room",
        "since",
        "soft",
        "spent",
        "until",
    )

    def __init__(
        self,
        budgets: tuple[Budget, ...],
        counted: CountedBudgets,
        payer_id: int,
        is_limited: bool,
        hard: list[Allowance],
        soft: list[Allowance],
        removed: int,
    ) -> None:
        self.budgets = budgets
        self.counted = counted
        self.since = counted.since
        self.until = counted.until
        self.payer_id = payer_id
        self.is_limited = is_limited
        """Whether the payer's balance has to cover them."""
        self.hard = hard
        """The account, where it has to, and every budget that is not soft."""
        self.soft = soft
        """Budgets that count and refuse nobody."""
        self.removed = removed
        """Allowances that had been removed when this was put together: none of these is."""
        self.room = 0
        """Of what is set aside so much is neither held nor spent. Below zero after a cost above its
        hold, until the others are told.
        """
        self.is_open = False
        """Whether the room may be held of: nobody waited for any of these since it was made."""
        self.spent = 0
        """What settled requests came to since the others were told."""
        self.asked = 0
        """What was held since then."""
        self.recent = 0
        """Likewise before it, half of it forgotten each time."""
        self.last = 0
        """The amount of the last request."""
        self.is_changed = False
        """Whether there is anything to tell."""

    def set_aside(self, amount: int) -> bool:
        """Set aside what a request needs and the room has not, and some for those that follow;
        ``False``: one of these has too little, or somebody waits for it. Then nothing is changed.
        """
        least = PLENTY
        for account in self.hard:
            if account.waiting:
                return False
            least = min(least, account.leased - account.held - account.spent)
        more = amount - self.room
        if least < more:
            return False  # also where the room would do: costs above their holds come first
        if more > 0:
            more += min(self.recent + self.asked, AHEAD * amount, (least - more) // SHARE)
        else:
            more = 0
        for account in self.hard:
            account.lend(more, amount)
        self.room += more
        self.is_open = True
        return True

    def hold(self, amount: int) -> None:
        """Hold an amount of the room."""
        self.room -= amount
        self.asked += amount
        self.last = amount

    def give_back(self, amount: int, cost: int) -> None:
        """End a hold: its cost waits to be told, the rest is room again."""
        self.room += amount - cost
        self.spent += cost
