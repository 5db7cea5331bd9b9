"""A call that may be made twice: where the vendor refuses the credential, and nothing was answered.

A refusal is held until it is whole, since its body may say what is refused. Then it is either what
the caller gets, or it is dropped and the request goes out once more with another credential.
"""

import asyncio
from typing import Final

import structlog

from trivium.faults import Fault
from trivium.providers.credential import Remedy
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Call, Client, Sink
from trivium.upstream.request import Presenter

log = structlog.get_logger(__name__)

REFUSAL_BYTES_MAX: Final = 65_536
"""Of a refusal's body that are held; a larger one is handed on as it comes."""


class RepeatedCall(Sink, Call):
    """A call whose first refusal may have it made once more. The sink never knows."""

    __slots__ = (
        "_body", "_call", "_client", "_held", "_is_paused", "_presenter", "_refusals",
        "_sink", "_size", "_task", "reused",
    )  # fmt: skip

    def __init__(self, client: Client, presenter: Presenter, sink: Sink) -> None:
        self._client = client
        self._presenter: Presenter | None = presenter
        """``None`` once it is settled that no more is sent: streams would keep their prompts."""
        self._refusals = presenter.refusals
        self._sink = sink
        self._call: Call | None = None
        self._task: asyncio.Task[None] | None = None
        self._held: tuple[int, AnswerHeaders] | None = None
        """The head of a refusal that is still coming."""
        self._body: list[bytes] = []
        self._size = 0
        self._is_paused = False
        self.reused = False

    def attached(self, call: Call) -> Call:
        """Run by this call from now on; the object itself."""
        self._call = call
        self.reused = call.reused
        return self

    # --- the vendor's side ----------------------------------------------------------------------

    def head(self, status: int, headers: AnswerHeaders) -> None:
        """The first refusal is held; any other head is the answer's."""
        refusals = self._refusals
        if self._presenter is None or refusals is None or status not in refusals.statuses:
            self._presenter = None
            self._sink.head(status, headers)
            return
        self._held = (status, headers)

    def data(self, data: bytes) -> None:
        """Body bytes of one read."""
        held = self._held
        if held is None:
            self._sink.data(data)
            return
        self._body.append(data)
        self._size += len(data)
        if self._size > REFUSAL_BYTES_MAX:
            self._presenter = None
            self._hand_on(*held)

    def done(self, rest: bytes = b"") -> None:
        """The answer is whole."""
        self._call = None
        held = self._held
        if held is None:
            self._sink.done(rest)
        else:
            self._body.append(rest)
            self._refused(*held)

    def broke(self, fault: Fault) -> None:
        """The answer cannot go on; of a refusal, what came will do."""
        self._call = None
        held = self._held
        if held is None:
            self._sink.broke(fault)
        else:
            self._refused(*held)

    # --- the caller's side ----------------------------------------------------------------------

    def pause(self) -> None:
        """Stop reading, also what is to come."""
        self._is_paused = True
        if self._call is not None:
            self._call.pause()

    def resume(self) -> None:
        """Read the answer again, also of a call that is still to come."""
        self._is_paused = False
        if self._call is not None:
            self._call.resume()

    def abort(self) -> None:
        """Hang up and call the sink no more. Harmless after the end."""
        if self._task is not None:
            self._task.cancel()
        call, self._call = self._call, None
        if call is not None:
            call.abort()

    # --- own ------------------------------------------------------------------------------------

    def _refused(self, status: int, headers: AnswerHeaders) -> None:
        """A refusal is whole: look for a remedy, in a task."""
        presenter, refusals = self._presenter, self._refusals
        self._presenter = None
        assert presenter is not None
        assert refusals is not None
        words = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        try:
            remedy = refusals.remedy(status, words, b"".join(self._body))
        except Exception:
            # a provider's code, which may be anybody's: the refusal is the answer then
            log.exception("remedy_failed")
            remedy = Remedy.NONE
        if remedy is Remedy.NONE:
            self._hand_on(status, headers)
            self._sink.done()
            return
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._again(presenter, remedy, status, headers), name="token")

    def _hand_on(self, status: int, headers: AnswerHeaders) -> None:
        """Give the sink a refusal, as far as it has come."""
        self._held = None
        body, self._body = b"".join(self._body), []
        self._sink.head(status, headers)
        if body:
            self._sink.data(body)

    async def _again(
        self, presenter: Presenter, remedy: Remedy, status: int, headers: AnswerHeaders
    ) -> None:
        """Make the call once more, or hand on the refusal."""
        try:
            request = await presenter.again(remedy, headers)
            if request is not None:
                self._held, self._body = None, []
                call = await self._client.open(request, self)
                self._call = call
                if self._is_paused:
                    call.pause()
                return
        except Fault as fault:
            self._held = None
            self._sink.broke(fault)
            return
        except Exception:
            # nobody else would tell the caller, who would wait for ever
            log.exception("repeat_failed")
        self._hand_on(status, headers)
        self._sink.done()
