"""What a caller is told whose request is not paid for."""

from datetime import UTC, datetime
from typing import Final

from trivium.faults import Fault, Kind
from trivium.ledger.amounts import format_usd
from trivium.ledger.model import COUNTERS_MAX
from trivium.routing.model import Model
from trivium.settings.budget import FOREVER, WINDOWS, Budget, Period

RETRY_S: Final = 2.0
"""After which a caller may try again that could pay with what others have leased."""
WAIT_S: Final = 10.0
"""After which a caller may try again that came while too many waited to be booked."""
_SPANS: Final = {
    Period.DAY: "a day",
    Period.WEEK: "a week",
    Period.MONTH: "a month",
    Period.TOTAL: "in all",
    Period.FIVE_HOURS: "in any five hours",
    Period.SEVEN_DAYS: "in any seven days",
}


class BudgetRefusal(Fault):
    """The fault of a request that a budget does not cover, with the budget."""

    __slots__ = ("budget", "ends_at")

    def __init__(self, message: str, budget: Budget, ends_at: int) -> None:
        super().__init__(Kind.BUDGET_SPENT, message)
        self.budget = budget
        self.ends_at = ends_at
        """Seconds since the epoch; ``FOREVER``: its period has no end."""


def overspent(budget: Budget, amount_nanos: int, ends_at: int) -> BudgetRefusal:
    """The refusal of a request that a budget does not cover; ``ends_at``: its period."""
    again = ""
    if budget.period in WINDOWS:
        again = " What was spent leaves it step by step."
    elif ends_at < FOREVER:
        again = f" It begins anew at {datetime.fromtimestamp(ends_at, UTC):%Y-%m-%dT%H:%M:%SZ}."
    return BudgetRefusal(
        f"The budget of {budget.whose or 'this key'} does not cover it: "
        f"{format_usd(budget.amount_nanos)} USD {_SPANS[budget.period]}.{again} "
        f"This request may cost up to {format_usd(amount_nanos)} USD.",
        budget,
        ends_at,
    )


def too_many_budgets(number: int) -> Fault:
    """The refusal of a request with more tags than can be counted: none of them goes uncounted."""
    return Fault(
        Kind.INVALID_VALUE,
        f"The request counts against {number} budgets, of its key, its team, those above and its "
        f"tags; at most {COUNTERS_MAX} are counted at once. Send fewer tags that have budgets.",
    )


def too_many_wait() -> Fault:
    """The refusal of an account without a limit while too much waits to be booked."""
    return Fault(
        Kind.LEDGER_DOWN,
        "The database has been away for so long that no more can be kept of what is owed; "
        "try again later.",
        retry_after=WAIT_S,
    )


def too_low(amount_nanos: int) -> Fault:
    """The refusal of an account that cannot pay."""
    return Fault(
        Kind.BALANCE_TOO_LOW,
        f"The balance is too low: this request may cost up to {format_usd(amount_nanos)} USD. "
        "Top up the balance, or ask for less: a lower limit on output tokens, fewer pictures, "
        "a shorter video.",
    )


def unpriced(model: Model, what: str) -> Fault:
    """The refusal of a request for what the model has no price for."""
    return Fault(
        Kind.NOT_PERMITTED,
        f"The model `{model.name}` has no price for {what}, so it is not served. Its operator can "
        "give it one.",
        param="model",
    )


def unknown() -> Fault:
    """What is told while the database is away."""
    return Fault(Kind.LEDGER_DOWN, "The balance cannot be looked up at the moment; try again.")


def elsewhere() -> Fault:
    """What is told where the money is there, and a worker that has leased it does not answer."""
    return Fault(
        Kind.LEDGER_DOWN,
        "What is left of the balance is set aside elsewhere at the moment; try again.",
        retry_after=RETRY_S,
    )


def uncounted() -> Fault:
    """What is told while what a budget has spent before it was given is being counted."""
    return Fault(
        Kind.LEDGER_DOWN,
        "What was spent of a new budget before it was given is being counted; try again.",
        retry_after=RETRY_S,
    )


def unnoted() -> Fault:
    """What is told when the journal cannot be written."""
    return Fault(Kind.INTERNAL, "The gateway cannot note the request's cost, so it is not served.")
