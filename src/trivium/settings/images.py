"""``[images]``: which model serves image requests that name none."""

from trivium.settings.section import Section


class Images(Section, frozen=True):
    """The models of image requests that name none."""

    legacy_model: str | None = None
    """Meant unless the request uses what GPT image models alone have; ``None``: ``dall-e-2``."""
    gpt_model: str | None = None
    """Meant when it does: a format, a stream, a background and so on; ``None``:
    ``gpt-image-2``."""
