"""The models of image requests that name none."""

import msgspec

from trivium.providers.images import Defaults, table
from trivium.settings.model import Settings
from trivium.wiring.images import defaults


def test_what_is_not_said_is_as_shipped():
    """Each for itself."""
    shipped = table().defaults
    assert Defaults(shipped.legacy, shipped.gpt) == defaults(Settings())
    given = msgspec.convert({"images": {"gpt_model": "house-pictures"}}, Settings)
    assert Defaults(shipped.legacy, "house-pictures") == defaults(given)
