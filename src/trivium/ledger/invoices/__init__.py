"""Invoices: numbered without gaps, made of a statement, never changed, printed as PDF."""
