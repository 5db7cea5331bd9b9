"""Budgets, which workers lease of as they do of balances."""
