"""Who can answer: one small module or one table row per upstream. Pure."""
