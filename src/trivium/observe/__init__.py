"""Being able to explain it afterwards: logs, records."""
