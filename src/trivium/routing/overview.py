"""Channels as people are shown them: where they call, what they serve, what of them rests."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from trivium.providers.address import target
from trivium.routing.model import Channel, Model
from trivium.routing.shared_breakers import accounts

if TYPE_CHECKING:
    from trivium.routing.store import Resting


class RestOverview(msgspec.Struct, frozen=True, kw_only=True):
    """A key or a model of a channel that rests. Times in seconds since the epoch."""

    key: int | None
    """Which of the channel's keys, from 1; ``None``: it has none."""
    upstream_model: str | None
    """``None``: the key for all models."""
    fault: str
    named_by_vendor: bool
    """Whether the vendor named the end."""
    until: int
    """Past: it waits for a request that probes it."""
    openings: int
    """Since it was last well."""


class ChannelOverview(msgspec.Struct, frozen=True, kw_only=True):
    """A channel of the settings."""

    channel: str
    provider: str
    host: str
    """Name and port that are called."""
    keys: int
    models: list[str]
    """Public names of what it serves."""
    rests: list[RestOverview]


def overview(
    channels: Iterable[Channel], models: Iterable[Model], resting: Iterable["Resting"]
) -> list[ChannelOverview]:
    """These channels, in their order, with what they serve of these models. ``resting``: what the
    gateway noted.
    """
    noted: dict[tuple[str, str], list[Resting]] = {}
    for row in resting:
        noted.setdefault((row.channel, row.account), []).append(row)
    served: dict[str, list[str]] = {}
    for model in models:
        for name in dict.fromkeys(binding.channel.name for binding in model.bindings):
            served.setdefault(name, []).append(model.name)
    return [
        ChannelOverview(
            channel=channel.name,
            provider=channel.provider.name,
            host=_host(channel),
            keys=len(channel.credentials),
            models=served.get(channel.name, []),
            rests=_rests(channel, noted),
        )
        for channel in channels
    ]


def models_of(models: Iterable[Model], channel: Channel) -> list[str]:
    """Public names of those models that a channel serves."""
    return [
        model.name
        for model in models
        if any(binding.channel.name == channel.name for binding in model.bindings)
    ]


def _host(channel: Channel) -> str:
    operation = next(iter(channel.provider.paths))
    _, host, port, _ = target(channel.provider, channel.base_url, operation, "m")
    return f"{host}:{port}"


def _rests(channel: Channel, noted: "dict[tuple[str, str], list[Resting]]") -> list[RestOverview]:
    return [
        RestOverview(
            key=number + 1 if channel.credentials else None,
            upstream_model=row.model or None,
            fault=row.fault,
            named_by_vendor=row.told,
            until=row.until_at,
            openings=row.openings,
        )
        for number, account in enumerate(accounts(channel))
        for row in noted.get((channel.name, account), ())
    ]
