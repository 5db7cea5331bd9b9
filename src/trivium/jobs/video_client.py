"""Asks the account that makes a job, and no other: the channel by name, the key by fingerprint.

A key's place in the settings may change, so what is remembered of it is what it is, not where it
stands. An account that is not configured any more cannot be asked; the job says so.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.jobs.model import Job, JobAccount
from trivium.providers.base import VendorRefusal
from trivium.providers.error_text import public
from trivium.providers.videos.protocol import FormBody, UpstreamVideo, VendorCall
from trivium.providers.videos.registry import protocol_of
from trivium.routing.model import Channel
from trivium.uploads.form import OutgoingForm, Upload
from trivium.uploads.spool import Room, Spool
from trivium.upstream import buffered_call as short
from trivium.upstream.call import Client
from trivium.upstream.request import Body, Request
from trivium.upstream.request_writer import Composer
from trivium.wire.long_strings import LongStrings
from trivium.wire.multipart_writer import BOUNDARY_BYTES
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import SeenVideo

_BROKEN_OFF: Final = frozenset({Kind.UPSTREAM_BROKE, Kind.UPSTREAM_TIMEOUT})
_NO_REFUSAL: Final = frozenset({500, 502, 504, 520, 522, 524})
"""Of a server that fell over, or of a proxy that waited in vain: what was asked for may be under
way. The last three are Cloudflare's."""
_NO_FILES: Final = Upload((), Spool(Room()), 0)
"""Of a form without an upload."""


class VideoClient:
    """Sends follow-ups of jobs to the accounts that make them."""

    def __init__(
        self,
        client: Client,
        composer: Composer,
        channel: Callable[[str], Channel | None],
        future: Callable[[], "asyncio.Future[None]"],
    ) -> None:
        """``channel`` returns a configured channel by name, ``None`` if there is none."""
        self._client = client
        self._composer = composer
        self._channel = channel
        self._future = future

    def request(
        self,
        channel: Channel,
        credential: int,
        vendor_call: VendorCall,
        upload: Upload | None = None,
        more: Sequence[tuple[bytes, bytes]] = (),
        accept: bytes = b"application/json",
    ) -> Request:
        """An errand as it is written; the files of its form are in the upload."""
        return self._composer.visit(
            channel,
            credential,
            vendor_call.method,
            vendor_call.path,
            query=vendor_call.query,
            body=_body(vendor_call.body, upload),
            accept=accept,
            more=more,
        )

    async def ask(
        self,
        channel: Channel,
        credential: int,
        vendor_call: VendorCall,
        upload: Upload | None = None,
    ) -> bytes:
        """Return the whole answer to an errand. Raises ``Fault``, with the status of a refusal."""
        sink = short.BufferedCall(self._future())
        request = self.request(channel, credential, vendor_call, upload)
        await short.run(self._client, request, sink)
        return _whole(channel, sink)

    async def ask_long(
        self, channel: Channel, credential: int, vendor_call: VendorCall
    ) -> LongStrings:
        """As ``ask``, for an answer that may hold a film: a piece a turn of the loop, kept once.
        Raises ``Fault``.
        """
        sink = short.BufferedCall(self._future())
        await short.run(self._client, self.request(channel, credential, vendor_call), sink)
        if not 200 <= sink.status < 300:
            _whole(channel, sink)  # which raises
        answer = LongStrings()
        parts, sink.parts = sink.parts, []
        parts.reverse()
        while parts:
            answer.add(parts.pop())
            await asyncio.sleep(0)
        return answer

    async def order(
        self,
        channel: Channel,
        credential: int,
        vendor_call: VendorCall,
        upload: Upload | None = None,
    ) -> bytes:
        """As ``ask``, for what costs money. Raises ``Fault`` (UPSTREAM_UNSURE) when the request
        went out and no answer came, or one that leaves it open: it may have been taken, so nobody
        must ask again unasked.
        """
        sink = short.BufferedCall(self._future())
        call = await self._client.open(self.request(channel, credential, vendor_call, upload), sink)
        try:
            await sink.outcome
        except Fault as fault:
            if fault.kind not in _BROKEN_OFF:
                raise
            raise _unsure() from None
        finally:
            call.abort()
        if sink.status in _NO_REFUSAL:
            raise _unsure()
        return _whole(channel, sink)

    async def look(self, job: Job) -> SeenVideo:
        """Ask what the upstream says of a job. Raises ``Fault``: NOT_FOUND if it has it no more."""
        channel, credential = self.locate(job.account)
        vendor_call = protocol_of(job.account.operation).look(upstream_video(job, channel))
        answer = await self.ask_long(channel, credential, vendor_call)
        return self.read(job.account.operation, answer.small())

    def read(self, operation: Operation, body: bytes) -> SeenVideo:
        """Read an upstream's answer and remove what its texts may reveal. Raises ``Fault``
        (UPSTREAM_BROKE).
        """
        return cleaned(protocol_of(operation).read(body))

    async def delete(self, job: Job) -> bool:
        """Delete a video at its upstream, if it is there. Returns ``False`` when its account can no
        longer be asked. Raises ``Fault``.
        """
        try:
            channel, credential = self.locate(job.account)
        except Fault:
            return False
        vendor_call = protocol_of(job.account.operation).delete(upstream_video(job, channel))
        if vendor_call is None or job.upstream_id is None:
            return True
        try:
            await self.ask(channel, credential, vendor_call)
        except Fault as fault:
            if fault.kind is not Kind.NOT_FOUND:
                raise
        return True

    def locate(self, account: JobAccount) -> tuple[Channel, int]:
        """The channel and which of its credentials. Raises ``Fault`` (NO_ROUTE): not there now."""
        channel = self._channel(account.channel)
        if channel is not None and account.operation in channel.provider.paths:
            if not account.credential and not channel.credentials:
                return channel, 0
            for index, credential in enumerate(channel.credentials):
                if credential.fingerprint(channel.name) == account.credential:
                    return channel, index
        raise Fault(
            Kind.NO_ROUTE,
            "The upstream account that makes this video is not configured any more.",
            param="video_id",
            code="video_account_removed",
            retry=False,
        )


def _unsure() -> Fault:
    return Fault(
        Kind.UPSTREAM_UNSURE,
        "The upstream did not say whether it takes this request. Nothing was charged.",
    )


def _whole(channel: Channel, sink: short.BufferedCall) -> bytes:
    body = b"".join(sink.parts)
    if 200 <= sink.status < 300:
        return body
    headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in sink.headers}
    raise refused(channel, sink.status, headers, body)


def account_of(channel: Channel, credential: int, operation: Operation, model: str) -> JobAccount:
    """Return what is stored about the account that makes a job."""
    fingerprint = ""
    if channel.credentials:
        fingerprint = channel.credentials[credential].fingerprint(channel.name)
    return JobAccount(
        channel=channel.name, credential=fingerprint, operation=operation, model=model
    )


def upstream_video(job: Job, channel: Channel) -> UpstreamVideo:
    """Return where the video of a job is at its upstream."""
    served = channel.provider.paths[job.account.operation]
    return UpstreamVideo(served=served, id=job.upstream_id or "", file=job.file)


def refused(channel: Channel, status: int, headers: dict[str, str], body: bytes) -> Fault:
    """Return the fault for a refusal about a video that exists: a 404 means it is gone there."""
    if status in (404, 410):
        return Fault(Kind.NOT_FOUND, "The upstream does not have this video any more.")
    return channel.provider.failure(VendorRefusal(status=status, headers=headers, body=body))


def cleaned(seen: SeenVideo) -> SeenVideo:
    """Return the upstream's texts without anything that could identify the operator's account."""
    code = seen.error_code if seen.error_code.replace("_", "").isalnum() else ""
    return msgspec.structs.replace(
        seen, error_code=code[:64], error_message=public(seen.error_message)
    )


def _body(body: bytes | FormBody | None, upload: Upload | None) -> bytes | Body:
    if isinstance(body, FormBody):
        boundary = os.urandom(BOUNDARY_BYTES).hex().encode()
        return OutgoingForm(upload or _NO_FILES, body.parts, boundary)
    return body or b""
