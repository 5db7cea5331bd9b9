"""How much is asked and how it goes: sums of request records, by spans of time."""
