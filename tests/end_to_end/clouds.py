"""A gateway before doubles of clouds: channels that name an identity and have no key.

async with before(entry(google, provider="vertex", key=...), model="gemini-x") as gateway: …
"""

import contextlib

from gateway import Gateway
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
from trivium.upstream import tls


def entry(base_url, provider, **credential):
    """A channel that names an identity."""
    return ChannelEntry(
        name=f"{provider}-main", provider=provider, base_url=base_url, credential=credential
    )


@contextlib.asynccontextmanager
async def before(*channels, model="m", ca_file=None, **more):
    """A gateway that serves one model by these channels, in this order."""
    settings = Settings(
        channels=channels,
        models=(
            ModelEntry(
                name=model,
                free=True,
                bindings=tuple(
                    BindingEntry(channel=one.name, priority=at) for at, one in enumerate(channels)
                ),
            ),
        ),
    )
    trust = (lambda: tls.context(ca_file)) if ca_file else (lambda: None)
    async with Gateway.to(settings=settings, tls=trust, **more) as gateway:
        yield gateway
