"""Northwind's row: where it is, how it is signed, and the shape it speaks."""

from trivium.plugin import (
    Operation,
    OwnShape,
    Provider,
    Thinks,
    UpstreamCodec,
    default_failure,
)
from trivium_northwind.signature import SIGNING


def _codec() -> UpstreamCodec:
    """Imported at the first request: the gateway listens before."""
    from trivium_northwind.codec import CODEC

    return CODEC


PROVIDER = Provider(
    name="northwind",
    title="Northwind",
    base_url="https://api.northwind.example/v2",
    credential=SIGNING,
    paths={Operation.VENDOR: "/converse"},
    stream_paths={Operation.VENDOR: "/converse/live"},
    stream_accept={Operation.VENDOR: "application/x-northwind-frames"},
    own=OwnShape(codec=_codec, facts={"thinks": Thinks.NONE.value, "stop_max": 0}),
    failure=default_failure,
    source="https://docs.northwind.example/api, read 2026-11-24",
)
