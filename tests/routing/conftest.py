"""Small catalogues for the routing tests."""

import pytest

from trivium.faults import Fault, Kind
from trivium.providers.base import Provider
from trivium.providers.credential import BEARER
from trivium.routing.model import Binding, Catalogue, Channel, Model, TimeLimits
from trivium.secret import Secret
from trivium.wire.operation import Operation, Shape

LIMITS = TimeLimits(connect=1, first_byte=1, idle=1, total=1)


def _failure(refusal):
    return Fault(Kind.UPSTREAM_BROKE, "broke", status=refusal.status)


PROVIDERS = {
    "openai": ("/chat/completions", (Operation.CHAT, Operation.RESPONSES, Operation.EMBEDDINGS)),
    "anthropic": ("/v1/messages", (Operation.MESSAGES, Operation.MESSAGES_COUNT)),
    "gemini": (
        "/v1beta/models/{model}:x",
        (Operation.GENERATE, Operation.GENERATE_STREAM, Operation.GENERATE_EMBED),
    ),
    "google": (
        "/v1beta/models/{model}:x",
        (Operation.GENERATE_COUNT, Operation.GENERATE_EMBED_BATCH),
    ),
    "both": ("/x", (Operation.CHAT, Operation.MESSAGES)),
}


def _provider(name):
    path, operations = PROVIDERS[name]
    return Provider(
        name=name,
        title=name.title(),
        base_url=None,
        credential=BEARER,
        paths=dict.fromkeys(operations, path),
        failure=_failure,
    )


@pytest.fixture(scope="session")
def bind():
    """A binding: channel name, provider, and its own settings."""

    def make(channel="a", provider="openai", *, shape=None, priority=0, weight=1, model="up"):
        return Binding(
            channel=Channel(
                name=channel,
                provider=_provider(provider),
                base_url="https://u.example/v1",
                credentials=(Secret("hunter2"),),
                headers={"x-secret": "hunter2"},
                limits=LIMITS,
            ),
            model=model,
            shape=shape and Shape(shape),
            priority=priority,
            weight=weight,
        )

    return make


@pytest.fixture(scope="session")
def catalogue():
    """A catalogue of models, each a name and its bindings."""

    def make(**models):
        return Catalogue(
            models={name: Model(name=name, bindings=tuple(b)) for name, b in models.items()},
            channels={b.channel.name: b.channel for found in models.values() for b in found},
        )

    return make
