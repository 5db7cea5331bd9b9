"""What workers have leased: of accounts, and of budgets."""
