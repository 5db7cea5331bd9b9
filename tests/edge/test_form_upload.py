"""Forms on raw sockets: taken in as they come, refused early, and gone with whoever sent them."""

import asyncio

import msgspec
import pytest

from edge.wires import EchoHost, serving, wire
from gateway import Gateway, error_of
from scripted_upstream import Double
from trivium.edge import form_upload
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault, Kind
from trivium.uploads.spool import Room
from trivium.wire.multipart import Limits as FormLimits

HEAD = b"POST /f HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=xyz\r\n"
FORM = (
    b'--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n'
    b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%b\r\n--xyz--\r\n'
)


class FormHost(EchoHost):
    """Answers a form with its parts, once all of it can be read."""

    def __init__(self, limits=None):
        super().__init__(limits)
        self.uploads = []

    def dispatch(self, exchange):
        if exchange.upload is None:
            super().dispatch(exchange)
            return
        self.uploads.append(exchange.upload)
        exchange.task = asyncio.ensure_future(self.tell(exchange))

    async def tell(self, exchange):
        upload = exchange.upload
        await upload.ready()
        told = [
            (p.name, (await upload.read(p, 0, p.size)).decode() if p.is_file else p.value.decode())
            for p in upload.parts
        ]
        if self.hold is not None:
            await asyncio.Event().wait()
        exchange.answer(200, msgspec.json.encode(told))


@pytest.fixture(autouse=True)
def takes_forms(monkeypatch):
    """Every path of the host takes forms."""
    monkeypatch.setattr(form_upload, "form_limits", lambda _: FormLimits(fields_bytes=1000))


def sized(body, *lines):
    return (
        HEAD
        + b"".join(line + b"\r\n" for line in lines)
        + (b"Content-Length: %d\r\n\r\n" % len(body))
        + body
    )


async def until(holds):
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [0, 5, 4096, 4097, 1_500_000])
async def test_a_form_is_taken_in_whole_whatever_its_size(size):
    """In memory and in a file, with a length and in chunks, one after the other."""
    host = FormHost()
    body = FORM % (b"f" * size)
    pieces = [body[start : start + 50_000] for start in range(0, len(body), 50_000)]
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    async with serving(host) as port, wire(port) as line:
        for raw in (sized(body), HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked) * 2:
            await line.send(raw)
            status, _, told = await line.answer()
            assert 200 == status
            assert [["model", "m"], ["file", "f" * size]] == msgspec.json.decode(told)
        assert 0 == host.again, "a form was taken for a body"
        assert 0 == host.room.taken


@pytest.mark.asyncio
async def test_a_form_that_is_sent_byte_by_byte_is_the_same_form():
    """Where the network cuts does not matter."""
    host = FormHost()
    async with serving(host) as port, wire(port) as line:
        raw = sized(FORM % b"file")
        for start in range(len(raw)):
            await line.send(raw[start : start + 1])
        _, _, told = await line.answer()
        assert [["model", "m"], ["file", "file"]] == msgspec.json.decode(told)


REFUSED = {
    "too large by its length": (
        HEAD + b"Content-Length: 100001\r\n\r\n",
        413,
        "100000 bytes",
    ),
    "too large as it comes": (
        HEAD
        + b"Transfer-Encoding: chunked\r\n\r\n"
        + b"%x\r\n" % 200_000
        + FORM % (b"x" * 199_000),
        413,
        "100000 bytes",
    ),
    "fields": (sized(FORM.replace(b"\r\nm\r\n", b"\r\n%b\r\n" % (b"m" * 2000)) % b""), 413, "1000"),
    "malformed": (sized(b"hello"), 400, "not a valid form"),
    "cut short": (sized((FORM % b"x")[:-8]), 400, "last boundary"),
    "no boundary": (
        sized(FORM % b"x").replace(b"; boundary=xyz", b""),
        400,
        "names no boundary",
    ),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", REFUSED)
async def test_a_form_that_is_wrong_is_refused_in_json_and_leaves_nothing(name):
    """As early as it is seen; the connection is closed, as nobody knows where the next begins."""
    raw, status, why = REFUSED[name]
    host = FormHost(ServerLimits(upload_bytes_max=100_000, linger_s=0.3))
    async with serving(host) as port, wire(port) as line:
        await line.send(raw)
        found, _, body = await line.answer()
        assert status == found
        assert why in msgspec.json.decode(body)["error"]["message"]
        assert [] == host.uploads
        assert 0 == host.room.taken


@pytest.mark.asyncio
async def test_a_form_may_be_larger_than_a_body():
    """It has a limit of its own, which is another setting."""
    host = FormHost(ServerLimits(body_bytes_max=1000))
    async with serving(host) as port, wire(port) as line:
        await line.send(sized(FORM % (b"x" * 5000)))
        status, _, _ = await line.answer()
        assert 200 == status


@pytest.mark.asyncio
async def test_a_form_where_none_is_taken_is_a_body_like_any_other(monkeypatch):
    """And has a body's limit."""
    monkeypatch.setattr(form_upload, "form_limits", lambda _: None)
    host = FormHost(ServerLimits(body_bytes_max=1000))
    async with serving(host) as port, wire(port) as line:
        await line.send(sized(b"anything"))
        assert (200, b"/f anything") == (await line.answer())[::2]
        await line.send(sized(b"x" * 1001))
        assert 413 == (await line.answer())[0]


@pytest.mark.asyncio
async def test_a_caller_that_leaves_in_the_middle_of_an_upload_leaves_nothing():
    """What had come is let go at once."""
    host = FormHost()
    async with serving(host) as port:
        async with wire(port) as line:
            await line.send(
                (HEAD + b"Content-Length: 9999999\r\n\r\n" + FORM % (b"x" * 900_000))[:-9]
            )
            await until(lambda: host.room.taken > 500_000)
        await until(lambda: host.room.taken == 0)
    assert [] == host.uploads


@pytest.mark.asyncio
async def test_a_caller_that_leaves_before_its_answer_leaves_nothing():
    """Nor does what waits behind it on the same connection."""
    host = FormHost()
    host.hold = []
    async with serving(host) as port:
        async with wire(port) as line:
            await line.send(sized(FORM % (b"x" * 9000)) * 2)
            await until(lambda: host.room.taken == 18_000 and len(host.uploads) == 1)
        await until(lambda: host.room.taken == 0)


@pytest.mark.asyncio
async def test_a_refused_caller_uploads_nothing():
    """Whoever may not ask is answered before the form is taken in."""
    host = FormHost()
    host.refuse = Fault(Kind.KEY_UNKNOWN, "no")
    async with serving(host) as port, wire(port) as line:
        await line.send(HEAD + b"Content-Length: 9999999\r\n\r\n" + b"x" * 100_000)
        assert 401 == (await line.answer())[0]
        assert 0 == host.room.taken


@pytest.mark.asyncio
async def test_a_sender_that_outruns_the_disk_is_read_no_further(monkeypatch):
    """Until the disk has caught up; meanwhile memory does not grow."""
    go_on = asyncio.Event()
    loop = asyncio.get_running_loop()
    append = form_upload.Spool._flush.__globals__["_append"]

    def slow(*args):
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        return append(*args)

    monkeypatch.setitem(form_upload.Spool._flush.__globals__, "_append", slow)
    host = FormHost()
    async with serving(host) as port, wire(port) as line:
        size = 12_000_000
        sending = asyncio.ensure_future(line.send(sized(FORM % (b"x" * size))))
        await asyncio.sleep(0.3)
        assert host.room.taken < size / 2
        go_on.set()
        status, _, _ = await line.answer()
        await sending
        assert 200 == status


@pytest.mark.asyncio
async def test_an_upload_without_room_is_refused_for_a_while():
    """The caller is told when to come again."""
    host = FormHost()
    host.room = Room(memory_bytes=10, bytes_max=1000)
    async with serving(host) as port, wire(port) as line:
        await line.send(sized(FORM % (b"x" * 2000)))
        status, headers, _ = await line.answer()
        assert 503 == status
        assert b"5" == dict(headers)[b"retry-after"]
        assert 0 == host.room.taken


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1beta/models/m:generateContent"],
)
async def test_where_json_is_taken_a_form_is_refused_by_its_type(path, monkeypatch):
    """415 that says what is taken, before the body is read; it is not called broken JSON."""
    monkeypatch.undo()
    body = FORM % b"x"
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        kind = "Content-Type: multipart/form-data; boundary=xyz"
        status, _, answer = await gateway.post(path, body, kind)
        assert (415, "This path takes a body of application/json, not a form.") == (
            status, error_of(answer)["message"],
        )  # fmt: skip
        assert [] == vendor.requests
