"""What clients do not send back, remembered: traces that lead from an id to who made the state."""
