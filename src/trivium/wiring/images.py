"""The models of image requests that name none."""

from trivium.providers.images import Defaults, table
from trivium.settings.model import Settings


def defaults(settings: Settings) -> Defaults:
    """Return the models of the settings, and the shipped ones where the settings name none."""
    shipped, given = table().defaults, settings.images
    return Defaults(given.legacy_model or shipped.legacy, given.gpt_model or shipped.gpt)
