"""When a job is looked at, and when it is given up. Pure."""

from typing import Final

from trivium.jobs.model import Limits

POLL_MS: Final = 1_000
"""What the SDKs wait between two polls where nobody tells them otherwise."""
POLL_MS_MAX: Final = 10_000
FRESH_S: Final = 1
"""A video that was looked at a second ago is as it was: whoever asks more often gets that."""


def pause_s(age_s: float, limits: Limits) -> int:
    """Seconds until the next look at a job that nobody asks about."""
    return max(1, round(min(limits.look_max_s, max(limits.look_s, age_s / 10))))


def poll_after_ms(age_s: float) -> int:
    """When its owner should ask again: soon for a young one, every ten seconds in the end."""
    return round(min(POLL_MS_MAX, max(POLL_MS, age_s * 50)))


def is_too_old(age_s: float, limits: Limits) -> bool:
    """Whether the job is so old that it counts as failed."""
    return age_s >= limits.age_max_s
