"""The pages on which people let other applications in."""
