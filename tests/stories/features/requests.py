"""The features of requests, as one table. See ``asking.py``."""

from stories.features.history import HISTORY
from stories.features.tooling import TOOLING
from stories.features.wishes import WISHES

REQUESTS = HISTORY + TOOLING + WISHES
"""In the order of the table in docs/translation.md."""
