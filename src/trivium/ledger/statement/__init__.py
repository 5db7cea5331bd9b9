"""An account's own books, for whoever it belongs to: entries, days, and each bill explained."""
