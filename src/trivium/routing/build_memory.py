"""What one building of the catalogue leaves for the next: channels and models whose entries are the
same objects as before are not built again.

Not for several threads at once.
"""

from collections.abc import Mapping
from typing import Final

from trivium.routing.model import Channel, Model
from trivium.settings.entries import ChannelEntry, ModelEntry
from trivium.settings.model import UpstreamSettings


class BuildMemory:
    """Channels and models by name, each with what it was built from."""

    def __init__(self) -> None:
        self._channels: dict[str, tuple[ChannelEntry, UpstreamSettings, bool, Channel]] = {}
        self._models: dict[str, tuple[ModelEntry, tuple[Channel | None, ...], Model]] = {}
        self._callable: set[tuple[str, str]] = set()

    def channel(
        self, entry: ChannelEntry, upstream: UpstreamSettings, *, guarded: bool
    ) -> Channel | None:
        """The channel of this very entry, if nothing that it was built from is another now."""
        known = self._channels.get(entry.name)
        if known is None or known[0] is not entry or known[1] != upstream or known[2] != guarded:
            return None
        return known[3]

    def keep_channel(
        self,
        entry: ChannelEntry,
        upstream: UpstreamSettings,
        channel: Channel,
        *,
        guarded: bool,
        fixed: bool,
    ) -> Channel:
        """Remember a channel; returns the one before where they are equal, so that what was built
        with it stays. ``fixed``: it depends on nothing that is looked up.
        """
        known = self._channels.get(entry.name)
        if known is not None and known[3] == channel:
            channel = known[3]
        # an entry that is never the same object has the channel built each time
        kept = entry if fixed else _NOBODY
        self._channels[entry.name] = (kept, upstream, guarded, channel)
        return channel

    def model(self, entry: ModelEntry, channels: tuple[Channel | None, ...]) -> Model | None:
        """The model of this very entry at these very channels."""
        known = self._models.get(entry.name)
        if known is None or known[0] is not entry:
            return None
        same = all(old is new for old, new in zip(known[1], channels, strict=True))
        return known[2] if same else None

    def keep_model(
        self, entry: ModelEntry, channels: tuple[Channel | None, ...], model: Model
    ) -> None:
        """Remember a model that nothing was wrong with."""
        self._models[entry.name] = (entry, channels, model)

    def is_callable(self, provider: str, base_url: str) -> bool:
        """Whether a provider's addresses at that base are known to be right."""
        return (provider, base_url) in self._callable

    def found_callable(self, provider: str, base_url: str) -> None:
        """Remember that they are."""
        if len(self._callable) >= _CALLABLE_MAX:
            self._callable.clear()
        self._callable.add((provider, base_url))

    def forget_absent(self, channels: Mapping[str, object], models: Mapping[str, object]) -> None:
        """Drop what the catalogue has not any more."""
        self._channels = {k: v for k, v in self._channels.items() if k in channels}
        self._models = {k: v for k, v in self._models.items() if k in models}


_NOBODY: Final = ChannelEntry(name="", provider="")
_CALLABLE_MAX: Final = 50_000
