"""What the context needs: the request as the edge hands it over, and the services it calls."""

import asyncio
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from trivium.admission.service import Admission
from trivium.assets.service import Assets
from trivium.clock import Clock
from trivium.conversation.opaque import Open
from trivium.conversation.request import Conversation
from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.jobs.video_services import VideoServices
from trivium.ledger.service import Ledger
from trivium.observe.log_throttle import LogThrottle
from trivium.observe.pseudonyms import Pseudonyms
from trivium.observe.record import Record
from trivium.providers.images import Defaults
from trivium.response_store.service import ResponseStore
from trivium.routing.health import Health
from trivium.routing.latency import Latency
from trivium.routing.model import Channel, Model, Plan, Step
from trivium.secret import Keyring
from trivium.settings.model import RoutingSettings
from trivium.uploads.form import Upload
from trivium.upstream.call import Client
from trivium.upstream.channel_queue import ChannelQueue
from trivium.upstream.request_writer import Composer
from trivium.upstream.url_fetch import FetchedFile
from trivium.wire.operation import Operation, Shape
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

if TYPE_CHECKING:  # traces are not kept before the database is open
    from trivium.idempotency.service import KeptAnswers
    from trivium.response_store.signatures.service import SignatureStore

Headers = list[tuple[bytes, bytes]]
JSON: Final = b"application/json"


class Flow(Protocol):
    """Whatever produces an answer's bytes and can be told to wait or to stop."""

    __slots__ = ()

    def pause(self) -> None:
        """The caller reads too slowly."""
        ...

    def resume(self) -> None:
        """The caller has caught up."""
        ...

    def interrupt(self, fault: Fault) -> bool:
        """End a begun answer legally, now. ``False`` when nothing has begun yet."""
        ...


class Running(Protocol):
    """Whoever works on a request: its task, or what stands for one."""

    __slots__ = ()

    def cancel(self) -> object:
        """Stop, in a later turn of the loop."""
        ...


class Framing:
    """What puts an answer into the words of the cloud whose client asked (``pipeline/surface.py``).

    One object an answer.
    """

    __slots__ = ()

    content_type: ClassVar[bytes] = b""
    """Of a stream; empty: as it is."""

    @property
    def headers(self) -> Headers:
        """What a stream's head has besides."""
        return []

    def whole(self, body: bytes) -> tuple[bytes, Headers]:
        """A whole answer, and headers for it. Raises ``Fault`` (UPSTREAM_BROKE)."""
        return body, []

    def stream(self, data: bytes) -> bytes:
        """What is sent for a piece of a streamed answer, possibly nothing.

        Raises ``Fault`` for what has no room there: what came before it is sent with the next
        piece, which is to be an error of the shape.
        """
        return data

    def pieces(self, data: bytes) -> list[bytes]:
        """As ``stream``, in order; what is long may come in several, and is never held whole."""
        return [self.stream(data)]


class Exchange:
    """One request and its answer; ``edge/exchange.py`` is the real one.

    No protocol: compiled code looks the attributes of one up by their names, forty a request.
    """

    __slots__ = (
        "arrived", "begun", "body", "bytes_out", "caller", "congested", "extra", "flow", "framing",
        "gone", "headers", "lines", "method", "request_id", "shape", "task", "upload",
    )  # fmt: skip

    request_id: str
    method: str
    headers: dict[bytes, bytes]
    body: bytes
    arrived: float
    caller: Caller | None
    shape: Shape | None
    extra: Headers
    lines: bytes
    """Headers to add, written out, each with its line end."""
    gone: bool
    congested: bool
    """Whether the caller's buffer is above the high-water mark."""
    begun: bool
    """Whether any byte of the answer has been sent."""
    flow: Flow | None
    task: Running | None
    bytes_out: int
    upload: Upload | None
    """The form that came as the body, which is empty then."""
    framing: Framing | None
    """What puts its answer into a cloud's words; ``None``: it goes out as it is written."""

    def worded(self, body: bytes) -> bytes:
        """A whole answer in the words of the cloud whose client asked, and its headers among those
        to add. To be had before the answer is booked: raises ``Fault`` (UPSTREAM_BROKE).
        """
        if self.framing is None:
            return body
        body, told = self.framing.whole(body)
        self.extra += told
        return body

    def framed(self, data: bytes) -> bytes:
        """A piece of a streamed answer in those words, possibly nothing. Raises ``Fault`` where a
        part of it has no room there.
        """
        return data if self.framing is None else self.framing.stream(data)

    def replace_headers(self, told: Mapping[bytes, bytes]) -> None:
        """Have these values in the place of whatever such headers the request came with."""
        self.headers = {**self.headers, **told}

    @abstractmethod
    def values(self, name: bytes) -> list[bytes]:
        """Every value of a header, in order."""

    @abstractmethod
    def answer(
        self, status: int, body: bytes, *, content_type: bytes = b"application/json"
    ) -> None:
        """Send a whole answer."""

    @abstractmethod
    def fail(self, fault: Fault) -> None:
        """Answer with a GatewayError."""

    @abstractmethod
    def begin(self, status: int, content_type: bytes, *, length: int | None = None) -> None:
        """Start a streamed answer; ``length``: of a body that is known to have so many bytes."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send a piece of a streamed answer."""

    @abstractmethod
    def finish(self, rest: bytes = b"") -> None:
        """End a streamed answer with a last piece."""

    @abstractmethod
    def drop_body(self) -> None:
        """Keep no byte of the body: nobody will read it again."""

    def spoil(self) -> None:
        """What is about to end is no whole answer, though its shape says how it ended."""

    @abstractmethod
    def break_off(self) -> None:
        """End an answer that cannot be completed."""


class Router(Protocol):
    """Finds models and plans; swapped whole when the catalogue changes."""

    __slots__ = ()

    def find(self, name: str) -> Model:
        """The model. Raises ``Fault`` (MODEL_UNKNOWN)."""
        ...

    def models(self) -> Iterable[Model]:
        """Every model, in the operator's order."""
        ...

    def channel(self, name: str) -> Channel | None:
        """Return the channel of that name; ``None`` when none is configured."""
        ...

    def channels(self) -> Iterable[Channel]:
        """Every configured channel, in the operator's order."""
        ...

    def plan(self, model: Model, operation: Operation, key: bytes = b"") -> Plan:
        """Ordered channels. Raises ``Fault`` (NO_ROUTE, UNREPRESENTABLE)."""
        ...


class Recorder(Protocol):
    """Takes request records; never waits."""

    __slots__ = ()

    def add(self, record: Record) -> None:
        """Queue one record for the next batch."""
        ...


class Translator(Protocol):
    """Makes lanes between shapes; ``pipeline/translation.py`` is the real one."""

    __slots__ = ()

    def lane(self, context: Any, step: Step, members: Members, facts: RequestFacts) -> Any:
        """One attempt's lane. Raises ``Fault`` naming a member that cannot be carried."""
        ...

    def opener(self, user_id: int) -> Open:
        """Opens the envelopes that one user's requests carry."""
        ...

    def spoken(self, context: Any, members: Members, facts: RequestFacts) -> Conversation:
        """The caller's request in canonical form. Raises ``Fault`` naming a member."""
        ...

    objects_max: int
    """Objects and arrays of a body that is translated."""

    def crowded(self) -> Fault:
        """The fault of a request that holds more."""
        ...

    def read(self, context: Any, members: Members, facts: RequestFacts) -> Conversation:
        """As ``spoken``, of a body that is known not to."""
        ...

    def fit(self, context: Any, step: Step) -> None:
        """Fit a request that was read to one channel: its lane finds it. Raises ``Fault``."""
        ...

    def estimate(self, context: Any, members: Members, facts: RequestFacts) -> bytes:
        """The answer to a count of tokens, by our own rule. Raises ``Fault`` naming a member."""
        ...


class Heartbeats(Protocol):
    """Keeps silent streams alive; ``pipeline/heartbeats.py`` is the real one."""

    __slots__ = ()

    def watch(self, context: Any) -> None:
        """Look after a streamed answer until ``forget``."""
        ...

    def forget(self, context: Any) -> None:
        """It has ended. Harmless for one that was never watched."""
        ...


class UrlFetcher(Protocol):
    """Fetches files at strangers' addresses; ``upstream/url_fetch.py`` is the real one."""

    __slots__ = ()

    files_max: int
    """Files of one request."""

    async def fetch(self, user_id: int, url: str) -> FetchedFile:
        """The file at a URL. Raises ``Fault`` (INVALID_VALUE) saying why not."""
        ...


class Media:
    """What only requests about media call; the wiring adds it to the rest."""

    __slots__ = ("assets", "pictures", "video_services")

    def __init__(self) -> None:
        self.pictures: Defaults | None = None
        """Models of image requests that name none; ``None``: as shipped. Swapped on reload."""
        self.assets: Assets | None = None
        """Generated files; ``None`` until the wiring has them."""
        self.video_services: VideoServices | None = None
        """Where videos are made; ``None`` until the wiring has it."""


class Services(Media):
    """Everything a request may call. Built once by the wiring; ``router`` is swapped on reload."""

    __slots__ = (
        "abandoned",
        "admission",
        "allows_preferences",
        "answer_bytes_max",
        "budget",
        "channel_queue",
        "client",
        "clock",
        "composer",
        "explain_headers",
        "finishes",
        "future",
        "health",
        "heartbeats",
        "kept_answers",
        "latency",
        "ledger",
        "log_throttle",
        "passages",
        "pseudonyms",
        "recorder",
        "response_store",
        "router",
        "signatures",
        "time",
        "translator",
        "url_fetcher",
    )

    def __init__(
        self,
        *,
        router: Router,
        passages: Mapping[Operation, PassThroughSpec],
        client: Client,
        composer: Composer,
        translator: Translator,
        ledger: Ledger,
        recorder: Recorder,
        log_throttle: LogThrottle,
        clock: Clock,
        loop: asyncio.AbstractEventLoop,
        answer_bytes_max: int,
        explain_headers: bool,
        response_store: ResponseStore | None = None,
        signatures: "SignatureStore | None" = None,
        heartbeats: Heartbeats | None = None,
        admission: Admission | None = None,
        health: Health | None = None,
        budget: RoutingSettings | None = None,
        latency: Latency | None = None,
        allows_preferences: bool = True,
        url_fetcher: UrlFetcher | None = None,
        finishes: bool = False,
        pseudonyms: Pseudonyms | None = None,
    ) -> None:
        super().__init__()
        self.router = router
        self.passages = passages
        self.client = client
        self.composer = composer
        self.translator = translator
        self.ledger = ledger
        self.recorder = recorder
        self.log_throttle = log_throttle
        self.clock = clock
        self.time = loop.time
        """Loop time in seconds."""
        self.future: Callable[[], asyncio.Future[None]] = loop.create_future
        """A future of the loop. ``asyncio``'s own way asks the kernel who we are, every time."""
        """Answers that have yet to be booked, sent and written down."""
        self.answer_bytes_max = answer_bytes_max
        self.explain_headers = explain_headers
        self.response_store = response_store
        """Stored responses; ``None`` where nothing is kept."""
        self.admission = admission or Admission(clock)
        """``None``: counted in memory, budgets from nothing."""
        self.signatures = signatures
        """What callers do not send back; ``None`` where nothing is remembered."""
        self.health = health or Health(loop.time)
        """What is known of the upstreams; ``None``: a fresh one."""
        self.budget = budget or RoutingSettings()
        """What one request may cost them; swapped on reload."""
        self.allows_preferences = allows_preferences
        """Whether callers may choose among channels; swapped on reload."""
        self.url_fetcher = url_fetcher
        """Who fetches files for channels that take no URLs; ``None``: nobody does."""
        self.finishes = finishes
        """Whether a whole answer is waited for when its caller leaves; ``abandoned`` are those."""
        self.abandoned: set[asyncio.Task[Any]] = set()
        self.latency = latency or Latency(loop.time)
        """How soon they answer; ``None``: a fresh count."""
        self.channel_queue = ChannelQueue(loop)
        self.heartbeats = heartbeats
        self.pseudonyms = pseudonyms or Pseudonyms(Keyring(os.urandom(32)))
        """Hashes end users and sessions."""
        self.kept_answers: KeptAnswers | None = None
        """Answers by their ``Idempotency-Key``; ``None`` where none are kept."""
