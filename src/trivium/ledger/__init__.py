"""What it costs: quotes, holds, settlement, entries."""
