"""Everything that videos are made with, in one place."""

import msgspec

from trivium.jobs.asking import Asking
from trivium.jobs.service import Jobs
from trivium.jobs.source import Source


class Studio(msgspec.Struct, frozen=True):
    """What the video operations call."""

    jobs: Jobs
    asking: Asking
    source: Source
