"""What was spent of budgets before they were given, out of the entries."""
