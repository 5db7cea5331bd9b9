"""The features of requests, as one table. See ``asking.py``."""

from end_to_end.features.asking import Asking
from end_to_end.features.conversing import conversed
from end_to_end.features.history import HISTORY
from end_to_end.features.tooling import TOOLING
from end_to_end.features.wishes import WISHES

REQUESTS = conversed(HISTORY + TOOLING + WISHES, Asking)
"""In the order of the table in docs/translation.md."""
