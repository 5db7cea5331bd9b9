"""What was spent of budgets, and what workers have leased of them."""

from sqlalchemy import Column, ForeignKey, Index, Text, UniqueConstraint, text

from trivium.storage.schema.core import BIG, table

_COUNTER = "budget_counters.id"

budget_counters = table(
    "budget_counters",
    Column("id", BIG, primary_key=True),
    Column("scope", Text, nullable=False),  # whose it is: key:5, team:3
    Column("period", Text, nullable=False),
    Column("starts_at", BIG, nullable=False),  # 0: of windows, and of what lasts for good
    Column("spent_nanos", BIG, nullable=False),
    Column("leased_nanos", BIG, nullable=False, server_default=text("0")),  # leases and holds
    Column("since", BIG, nullable=False, server_default=text("0")),  # when the budget was given
    Column("told", BIG, nullable=False, server_default=text("0")),  # per cent that people know of
    UniqueConstraint("scope", "period", "starts_at"),
    Index("ix_budget_counters_period_starts_at", "period", "starts_at"),
)
"""One a scope and period; the amount is with the budget, wherever that is."""

budget_spans = table(
    "budget_spans",
    Column("counter_id", BIG, ForeignKey(_COUNTER, ondelete="CASCADE"), primary_key=True),
    Column("starts_at", BIG, primary_key=True),
    Column("nanos", BIG, nullable=False),
)
"""Of windows: what was spent in each step, until it leaves the window."""

budget_leases = table(
    "budget_leases",
    Column("worker", Text, primary_key=True),  # the name of its journal
    Column("counter_id", BIG, ForeignKey(_COUNTER, ondelete="CASCADE"), primary_key=True),
    Column("amount_nanos", BIG, nullable=False),
    Column("renewed_at", BIG, nullable=False),  # by the database's own clock
    # as those of ``leases``
    Column("called", BIG, nullable=False, server_default=text("0")),
    Column("answered", BIG, nullable=False, server_default=text("0")),
    Index("ix_budget_leases_counter_id", "counter_id"),
)
"""What a worker may spend of a budget without asking again."""
