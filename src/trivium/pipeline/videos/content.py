"""A video's files: from our own store where they are kept, else from its upstream as they come.

Memory holds what is between two sockets and no more: reading stops while the caller is slow. One
range is passed on, so that a download can be resumed. Only headers that describe the file travel.
"""

from typing import Final

from trivium.faults import Fault, Kind
from trivium.jobs.model import Job
from trivium.jobs.video_download import Refused, is_file, type_of
from trivium.pipeline import file
from trivium.pipeline.download import FileDownload
from trivium.pipeline.services import Headers
from trivium.pipeline.videos.existing import VideoVisit, unready
from trivium.upstream.call import HeaderLines
from trivium.wire.checks import wrong
from trivium.wire.ranges import is_one
from trivium.wire.videos.answer import VideoStatus
from trivium.wire.videos.resource import VARIANTS, VIDEO

_PASSED: Final = frozenset({b"accept-ranges", b"content-range", b"etag", b"last-modified"})
PART: Final = 206
_ASKED: Final = (b"range", b"if-range")
_SAFE: Final[Headers] = [
    (b"cache-control", b"private, no-transform"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"x-content-type-options", b"nosniff"),
]


async def serve(visit: VideoVisit) -> None:
    """Send one file. Raises ``Fault`` before its first byte."""
    variant = visit.query.get("variant") or VIDEO
    if variant not in VARIANTS:
        raise wrong("variant", f"be one of {', '.join(VARIANTS)}")
    job = await visit.job()
    if job.status is not VideoStatus.COMPLETED:
        raise unready(job, "a completed one")
    if job.expires_at is not None and job.expires_at <= visit.video_services.jobs.now():
        raise _gone(job)
    visit.exchange.extra += _SAFE
    if await _from_store(visit, job, variant):
        return
    await _from_upstream(visit, job, variant)


async def _from_upstream(visit: VideoVisit, job: Job, variant: str) -> None:
    exchange = visit.exchange
    more = [(name, value) for name in _ASKED for value in exchange.values(name)[:1]]
    if more and not (more[0][0] == b"range" and is_one(more[0][1])):
        more = []  # no range, then, and the whole file is right

    def take(refused: Refused) -> "_Video":
        taker = _Video(visit, variant, refused, in_part=bool(more))
        exchange.flow = taker
        return taker

    try:
        await visit.video_services.source.fetch(job, variant, take, more)
    except Fault as fault:
        if fault.kind is Kind.NOT_FOUND:
            raise _gone(job, variant) from None
        raise
    finally:
        exchange.flow = None


class _Video(FileDownload):
    """A download whose caller may want the head alone."""

    __slots__ = ("_head_only", "_in_part")

    def __init__(self, visit: VideoVisit, variant: str, refused: Refused, *, in_part: bool) -> None:
        """``in_part``: whether a part of the file was asked for."""
        super().__init__(
            visit.exchange,
            visit.services.future(),
            passes=_PASSED,
            type_of=lambda said: type_of(said.decode("latin-1"), variant).encode(),
            refused=refused,
        )
        self._head_only = visit.exchange.method == "HEAD"
        self._in_part = in_part

    def head(self, status: int, headers: HeaderLines) -> None:
        """A HEAD is answered with what a GET would begin with; the file itself is left alone."""
        super().head(status, headers)
        if status == PART and not self._in_part:
            self.release()
            self._end(Fault(Kind.UPSTREAM_BROKE, "The upstream sent a part of the file, unasked."))
        elif self._head_only and self._is_file():
            self._begin()
            self._exchange.finish()
            self._end(None)

    def data(self, data: bytes) -> None:
        """Nothing more of a file whose head was all that was wanted."""
        if not self.outcome.done():
            super().data(data)

    def done(self, rest: bytes = b"") -> None:
        """As above. Where the file ends is told to whoever asked for what lies beyond."""
        if self.outcome.done():
            return
        if self.status == file.UNSATISFIABLE:
            self._exchange.extra += [(n, v) for n, v in self.headers if n == b"content-range"]
        super().done(rest)

    def _is_file(self) -> bool:
        told = {n.decode("latin-1"): v.decode("latin-1") for n, v in self.headers}
        return is_file(self.status, told)


async def _from_store(visit: VideoVisit, job: Job, variant: str) -> bool:
    """Send a file of our own store; ``False``: it is not there."""
    asset_id, assets = job.assets.get(variant), visit.services.assets
    if asset_id is None or assets is None:
        return False
    asset = await file.find(assets, asset_id)
    if asset is None:
        raise _gone(job, variant)
    part = file.part(visit.exchange, asset)
    try:
        await file.send(visit.exchange, asset, part, assets)
    except Fault as fault:
        if fault.kind is Kind.NOT_FOUND:
            raise _gone(job, variant) from None
        raise
    return True


def _gone(job: Job, variant: str = "") -> Fault:
    return Fault(
        Kind.NOT_FOUND,
        f"The {variant or 'file'} of the video `{job.id}` is not there, or not any more.",
        param="video_id",
        code="video_expired",
    )
