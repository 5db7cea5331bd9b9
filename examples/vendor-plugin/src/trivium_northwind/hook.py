"""Requests that Northwind's terms forbid are refused, and what was served is counted."""

import logging

from trivium.plugin import Fault, HookRequest, Kind, Record

log = logging.getLogger("trivium_northwind")


class Terms:
    """One hook; a package may bring several."""

    def __init__(self) -> None:
        self.tokens = 0

    async def before(self, request: HookRequest) -> None:
        """No ice: a real hook would ask a service."""
        if b"iceberg" in request.body:
            raise Fault(Kind.CONTENT_POLICY, "Northwind does not speak of icebergs.")

    def after(self, record: Record) -> None:
        """Keep a count."""
        if record.channel and record.usage is not None:
            self.tokens += record.usage.output_total
            log.warning("northwind: %d tokens so far", self.tokens)


HOOK = Terms()
