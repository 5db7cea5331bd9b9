"""From the code to tokens, and what tokens open."""
