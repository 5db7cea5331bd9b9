"""``[jobs]``: work that outlives a request."""

from trivium.settings.section import Section


class Jobs(Section, frozen=True):
    """Videos: how often jobs are looked at until they are made, and for how long files are kept."""

    look_s: float = 5.0
    """First pause between two looks at an upstream for a video nobody asks about; a tenth of the
    video's age later on."""
    look_max_s: float = 60.0
    """The longest."""
    age_max_s: float = 86_400.0
    """A video that is not made a day after it was asked for has failed, and costs nothing."""
    retention_days: int = 90
    """A video that was asked for so long ago and has ended is forgotten, with its prompt; 0 keeps
    all until their owners delete them."""
    at_once: int = 8
    """Videos that one worker looks after at the same time."""
    keep_days: int = 0
    """How long finished videos and their pictures are kept in the store of ``[assets]``, so that
    they outlive what the upstream keeps; 0: they are fetched from the upstream each time."""
    keep_bytes_max: int = 2_147_483_648
    """A larger video is not kept."""
