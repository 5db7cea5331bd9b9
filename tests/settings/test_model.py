"""Settings hold secrets, so they are not printed."""

import msgspec

from trivium.settings.entries import ChannelEntry
from trivium.settings.model import Settings, StorageSettings


def test_no_section_prints_its_values():
    """A traceback or log line with settings in it shows no key and no password."""
    settings = Settings(
        storage=StorageSettings(url="postgresql://u:hunter2@h/db"),
        channels=(ChannelEntry(name="a", provider="openai", api_key="hunter2"),),
    )

    assert "hunter2" not in f"{settings!r} {settings.channels!r} {settings.storage}"


def test_defaults_listen_on_loopback_only():
    """Nothing is opened to a network before an operator says so."""
    assert msgspec.convert({}, Settings).server.listen.startswith("127.0.0.1:")
