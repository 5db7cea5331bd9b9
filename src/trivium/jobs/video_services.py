"""Everything that videos are made with, in one place."""

import msgspec

from trivium.jobs.service import Jobs
from trivium.jobs.video_client import VideoClient
from trivium.jobs.video_download import VideoDownloader


class VideoServices(msgspec.Struct, frozen=True):
    """What the video operations call."""

    jobs: Jobs
    video_client: VideoClient
    source: VideoDownloader
