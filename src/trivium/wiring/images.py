"""The models of image requests that name none."""

from trivium.providers.images import Defaults, table
from trivium.settings.model import Settings


def defaults(settings: Settings) -> Defaults:
    """As the settings have them, and as shipped where they say nothing."""
    shipped, given = table().defaults, settings.images
    return Defaults(given.legacy_model or shipped.legacy, given.gpt_model or shipped.gpt)
