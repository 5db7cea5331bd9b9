"""The listening side's limits are the settings'."""

from trivium.edge.limits import Limits
from trivium.settings.model import Server


def test_defaults_are_the_settings_defaults():
    """A listener built without settings keeps the documented limits."""
    shared = set(Limits.__struct_fields__) & set(Server.__struct_fields__)
    assert set(Limits.__struct_fields__) - shared == {"linger_s", "half_closed_cancels"}
    assert {n: getattr(Server(), n) for n in shared} == {n: getattr(Limits(), n) for n in shared}
    assert ("cancel", True) == (Server().half_closed, Limits().half_closed_cancels)
