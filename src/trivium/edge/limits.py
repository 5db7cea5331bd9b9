"""The listening side's limits. Values and reasons: settings ``[server]``."""

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """See ``settings.model.Server`` for what each is for and where its default comes from."""

    header_bytes_max: int = 65_536
    headers_max: int = 200
    body_bytes_max: int = 134_217_728
    header_timeout_s: float = 15.0
    body_timeout_s: float = 60.0
    keepalive_s: float = 75.0
    pipeline_max: int = 16
    write_high_bytes: int = 65_536
    connections_max: int = 20_000
    linger_s: float = 2.0
    """After an error that leaves request bytes unread: how long they are still taken in and thrown
    away, so that the caller reads the answer instead of a reset (nginx's ``lingering_close``)."""
    half_closed_cancels: bool = True
