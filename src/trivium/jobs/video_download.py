"""A video's file at its upstream, through redirects, into whatever takes it.

The account that made the video is asked with its key. Where it answers with an address elsewhere,
the file is fetched from there without any key (``upstream/vendor_files.py``), and nobody is shown
where that is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog

from trivium.faults import Fault, Kind
from trivium.jobs import inline_video
from trivium.jobs.model import Job
from trivium.jobs.video_client import VideoClient, refused, upstream_video
from trivium.providers.videos.registry import protocol_of
from trivium.routing.model import Channel
from trivium.upstream import vendor_files
from trivium.upstream.call import Client, Taker
from trivium.upstream.public_addresses import Destination, place
from trivium.upstream.request import Request
from trivium.wire.videos.resource import SPRITESHEET, THUMBNAIL, VIDEO

log = structlog.get_logger()

Refused = Callable[[int, Mapping[str, str], bytes], Fault]
"""(status, headers, the beginning of the body) of an answer that is no file."""

_string: Final = msgspec.json.Decoder(str).decode
_TYPE: Final = re.compile(r"[a-z]+/[a-z0-9.+-]{1,80}")
_SCRIPTABLE: Final = "image/svg+xml"
_TYPES: Final = {VIDEO: "video/mp4", THUMBNAIL: "image/webp", SPRITESHEET: "image/webp"}
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Moved(Fault):
    """The file is elsewhere."""

    __slots__ = ("location",)

    def __init__(self, location: str) -> None:
        super().__init__(Kind.UPSTREAM_BROKE, "The upstream keeps the file elsewhere.")
        self.location = location


def is_file(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer is a film or a picture. JSON is none, whatever its status: it is an error,
    or the address where the file is.
    """
    said = headers.get("content-type", "").partition(";")[0].strip().lower()
    return status in (200, 206) and not (said.endswith(("/json", "+json")) or said == "text/html")


def type_of(said: str, variant: str) -> str:
    """The upstream's type if it is one of a film or a picture, else the variant's own."""
    kind = said.partition(";")[0].strip().lower()
    if kind.startswith(("video/", "image/")) and kind != _SCRIPTABLE and _TYPE.fullmatch(kind):
        return kind
    return _TYPES[variant]


class VideoDownloader:
    """Fetches the files of videos from their upstreams, and follows their redirects."""

    def __init__(self, video_client: VideoClient, client: Client, others: Client) -> None:
        """``others``: the client for addresses that vendors name."""
        self._asking = video_client
        self._client = client
        self._others = others

    async def fetch(
        self,
        job: Job,
        variant: str,
        take: Callable[[Refused], Taker],
        more: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        """Have a file taken; ``take`` makes a taker for each answer, ``more`` are headers that say
        which part of the file is wanted. Raises ``Fault``.
        """
        channel, credential = self._asking.locate(job.account)
        vendor_call = protocol_of(job.account.operation).content(
            upstream_video(job, channel), variant
        )
        if vendor_call.read_file is not None:
            answer = await self._asking.ask_long(channel, credential, vendor_call)
            taker = take(_judge(channel))
            try:
                await inline_video.hand_over(vendor_call.read_file(answer), taker)
            finally:
                taker.release()
            return
        request = self._asking.request(channel, credential, vendor_call, more=more, accept=b"*/*")
        own = request.origin
        at = _place_of(request)
        for _ in range(vendor_files.REDIRECTS_MAX + 1):
            client = self._client if request.origin == own else self._others
            try:
                await self._one(client, request, take(_judge(channel)))
            except Moved as moved:
                at = _next(moved.location, at)
                request = vendor_files.request(at, channel.limits, more)
            else:
                return
        raise Fault(Kind.UPSTREAM_BROKE, "The upstream redirects too often.")

    async def _one(self, client: Client, request: Request, taker: Taker) -> None:
        try:
            taker.attach(await client.open(request, taker))
            await taker.outcome
        finally:
            taker.release()


def _judge(channel: Channel) -> Refused:
    def judged(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
        location = headers.get("location", "")
        if status in vendor_files.REDIRECTS and location:
            return Moved(location)
        if 200 <= status < 300:
            named = _address(body)
            broken = Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is no file.")
            return Moved(named) if named else broken
        if status == 416:
            return Fault(
                Kind.INVALID_VALUE, "The range lies outside of the file.",
                param="range", status=status,
            )  # fmt: skip
        return refused(channel, status, dict(headers), body)

    return judged


def _address(body: bytes) -> str:
    """The address that an answer consists of; empty when it is something else."""
    try:
        text = _string(body)
    except (ValueError, RecursionError):
        return ""
    return text if text.startswith(("https://", "http://")) else ""


def _place_of(request: Request) -> Destination:
    """Where a request goes, for a redirect to be read against."""
    origin = request.origin
    shown = f"[{origin.host}]" if ":" in origin.host else origin.host
    if origin.port != _DEFAULT_PORTS[origin.scheme]:
        shown = f"{shown}:{origin.port}"
    target = request.payload.split(b" ", 2)[1].decode("ascii")
    return Destination(origin, shown, target, f"{origin.scheme}://{shown}{target}")


def _next(location: str, before: Destination) -> Destination:
    try:
        return place(location, before=before)
    except Fault as fault:
        log.warning("redirect_refused", host=before.origin.host, why=fault.message)
        raise Fault(Kind.UPSTREAM_BROKE, "The upstream redirects to where nothing is.") from None
