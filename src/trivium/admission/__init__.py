"""May it run now: windows, concurrency, budgets, addresses."""
