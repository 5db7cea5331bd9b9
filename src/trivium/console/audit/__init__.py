"""Pages that show security-relevant acts."""
