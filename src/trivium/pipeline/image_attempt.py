"""The attempt that ends in pictures: addresses for bytes, and one event of a whole answer.

Vendors' own addresses pass as they are: they are public, signed and valid for an hour. Where only
bytes come although the caller wants addresses (by ``response_format``, or by the default of the
legacy models), the pictures are kept for 60 minutes and answered by our signed addresses. A picture
that cannot be kept goes out as bytes, and that is told: it is paid for.
"""

import asyncio
import binascii
from typing import cast

import structlog

from trivium.assets.model import AssetError
from trivium.assets.service import URL_S, Assets
from trivium.faults import Fault
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.images import RelayedImages, TranslatedImages, kind_of
from trivium.pipeline.lane import explain
from trivium.pipeline.structs import WholeAnswer
from trivium.storage.errors import StorageError
from trivium.wire.images.answer import with_urls
from trivium.wire.images.stream import Watch

log = structlog.get_logger()


class ImageAttempt(Attempt):
    """See the module, and ``Attempt``."""

    __slots__ = ("_keeping",)

    @property
    def _pictured(self) -> RelayedImages | TranslatedImages:
        """The lane, which is one of pictures here."""
        return cast("RelayedImages | TranslatedImages", self.lane)

    def release(self) -> None:
        """Let the vendor's connection go, and what is being kept."""
        keeping: asyncio.Task[None] | None = getattr(self, "_keeping", None)
        if keeping is not None and not keeping.done():
            keeping.cancel()
        super().release()

    @property
    def is_between_events(self) -> bool:
        """Not while a part of a picture has gone out."""
        return not isinstance(self._watch, Watch) or not self._watch.is_open

    def broke(self, fault: Fault) -> None:
        """As of any attempt; an answer without a picture may have cost something."""
        self.context.owed = self._pictured.owed
        super().broke(fault)

    def _deliver(self, whole: WholeAnswer) -> None:
        assets = self.context.services.assets
        if self.facts.stream:
            self._tell_event(whole)
        elif assets is not None and any(self._pictured.pictures):
            self._keeping = asyncio.get_running_loop().create_task(self._keep(whole, assets))
        else:
            super()._deliver(whole)

    def _tell_event(self, whole: WholeAnswer) -> None:
        """A whole answer where a stream was asked for: its one event."""
        context = self.context
        context.usage = whole.usage
        context.first_byte_at = context.services.time()
        explain(context, self.step, self.lane, self.headers)
        context.open_stream()
        context.deliver_whole(whole.body)
        context.settle()
        context.exchange.finish(whole.body)
        self._succeed()

    async def _keep(self, whole: WholeAnswer, assets: Assets) -> None:
        """Store the pictures, and answer with their addresses."""
        caller = self.context.exchange.caller
        assert caller is not None
        try:
            urls = []
            for picture in self._pictured.pictures:
                if not picture:
                    urls.append("")  # this one came by address
                    continue
                data = binascii.a2b_base64(picture)
                asset = await assets.put(
                    data,
                    user_id=caller.user_id,
                    kind="image",
                    content_type=kind_of(data),
                    lifetime_s=URL_S,
                )
                urls.append(assets.address(asset))
            whole = WholeAnswer(with_urls(whole.body, urls), whole.usage)
        except (AssetError, StorageError, binascii.Error) as error:
            log.warning("picture_not_kept", error=str(error))
            self._pictured.unkept()
        try:
            super()._deliver(whole)
        except Exception as error:  # noqa: BLE001 - told to whoever waits for the outcome
            self.crash(error)
