"""Who did what to whose account, and from where: security-relevant acts, append-only."""
