"""A vendor of videos on a real socket, with accounts: what one made the others do not know.

Speaks both ways of asking: OpenAI's, and Google's long-running operations. Tests turn its knobs:

async with Films(keys=("k1", "k2")) as vendor:
    vendor.finish("up_1") ; vendor.refuse["DELETE"] = 500 ; vendor.elsewhere = "http://…"
"""

import asyncio
import contextlib
import re

import msgspec

from trivium.wire.multipart import FormReader, boundary_of

BLOCK = bytes(range(256)) * 256


def film(size):
    """So many bytes that tell where they stand."""
    return (BLOCK * (size // len(BLOCK) + 1))[:size]


class Films:
    """See the module."""

    def __init__(self, keys=("sk-vendor-0123456789abcdef",), size=100_000):
        self.keys = keys
        self.content = film(size)
        self.jobs = {}
        """By its own id: the account that made it, and the resource."""
        self.seen = []
        """(method, path, key, headers, body) of every request."""
        self.refuse = {}
        """Status by method, or by method and the end of the path: what is refused."""
        self.elsewhere = ""
        """Where content is, if not here."""
        self.content_type = b"video/mp4"
        self.pictures = None
        """(type, bytes) by variant; ``None``: every variant is the film, as where none is known."""
        self.says = None
        """Instead of content."""
        self.hang = set()
        """Methods that are taken and never answered."""
        self.drop = set()
        """Methods that are taken, and then the connection breaks."""
        self.peak = 0
        """The most bytes of content that were written and not taken yet."""
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=64)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- what tests do ------------------------------------------------------------------------

    def made(self, account=None):
        """Ids of the videos it was asked for, in order; of one account or of all."""
        return [id_ for id_, job in self.jobs.items() if account in (None, job["account"])]

    def work(self, id_, progress=40):
        self.jobs[id_]["video"] |= {"status": "in_progress", "progress": progress}

    def finish(self, id_=None, **more):
        for each in [id_] if id_ else list(self.jobs):
            self.jobs[each]["video"] |= {"status": "completed", "progress": 100, **more}

    def fail(self, id_, code="moderation_blocked", message="Not this."):
        self.jobs[id_]["video"] |= {
            "status": "failed", "error": {"code": code, "message": message},
        }  # fmt: skip

    def count(self, method, end=""):
        """Requests of a method to paths that end so."""
        return sum(
            m == method and path.partition("?")[0].endswith(end) for m, path, *_ in self.seen
        )

    # --- the server ---------------------------------------------------------------------------

    async def _accept(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                await self._one(reader, writer)
        self._tasks.discard(task)
        with contextlib.suppress(OSError, RuntimeError):
            writer.transport.abort()

    async def _one(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        line, *lines = head.decode().split("\r\n")
        headers = dict(each.split(": ", 1) for each in lines if each)
        method, path, _ = line.split(" ")
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        key = headers.get("authorization", "").removeprefix("Bearer ") or headers.get(
            "x-goog-api-key", ""
        )
        self.seen.append((method, path, key, headers, body))
        if method in self.hang:
            await asyncio.Event().wait()
        if method in self.drop:
            raise ConnectionResetError
        bare = path.partition("?")[0]
        for asked, status in self.refuse.items():
            if asked == method or bare.endswith(asked):
                return self._json(
                    writer,
                    status,
                    {"error": {"message": "No.", "type": "server_error", "code": None}},
                )
        if path.startswith("/stored/"):
            return await self._file(writer, headers, method)
        if key not in self.keys:
            return self._json(
                writer, 401, {"error": {"message": "Wrong key.", "code": "invalid_api_key"}}
            )
        account = self.keys.index(key)
        if "/v1beta/" in bare:
            return await self._google(writer, method, bare, account, headers, body)
        return await self._openai(writer, method, path, account, headers, body)

    async def _openai(self, writer, method, path, account, headers, body):
        path, _, query = path.partition("?")
        asked = re.fullmatch(r"/v1/videos(?:/([^/]+)(?:/(content|remix))?)?", path)
        id_, below = asked.groups()
        if id_ is None:
            return self._json(writer, 200, self._new(account, self._fields(headers, body))["video"])
        job = self.jobs.get(id_)
        if job is None or job["account"] != account:
            return self._json(
                writer, 404, {"error": {"message": f"Video {id_} not found", "code": "not_found"}}
            )
        variant = query.removeprefix("variant=")
        if below == "content" and variant and self.pictures is not None:
            return await self._picture(writer, variant)
        if below == "content":
            return await self._content(writer, headers, method)
        if below == "remix":
            source = job["video"]
            fields = {
                **msgspec.json.decode(body),
                "seconds": source["seconds"],
                "size": source["size"],
            }
            return self._json(writer, 200, self._new(account, fields, id_)["video"])
        if method == "DELETE":
            del self.jobs[id_]
            return self._json(writer, 200, {"id": id_, "object": "video.deleted", "deleted": True})
        return self._json(writer, 200, job["video"])

    def _fields(self, headers, body):
        """What a form says; a file as its name, type and bytes."""
        kept = bytearray()
        reader = FormReader(boundary_of(headers["content-type"].encode()), kept.extend)
        reader.feed(body)
        fields = {}
        for part in reader.finish():
            bytes_ = bytes(kept[part.start : part.start + part.size])
            fields[part.name] = (
                (part.filename, part.content_type, bytes_) if part.is_file else part.value.decode()
            )
        return fields

    def _new(self, account, fields, source=None):
        id_ = f"up_{len(self.jobs) + 1}"
        video = {
            "id": id_, "object": "video", "model": fields.get("model", "own"), "status": "queued", "progress": 0,
            "created_at": 1, "completed_at": None, "expires_at": None, "error": None,
            "prompt": fields["prompt"], "size": fields["size"], "seconds": fields["seconds"],
            "remixed_from_video_id": source,
        }  # fmt: skip
        self.jobs[id_] = {"account": account, "video": video, "fields": fields}
        return self.jobs[id_]

    async def _google(self, writer, method, path, account, headers, body):
        if path.endswith(":predictLongRunning"):
            asked = msgspec.json.decode(body)
            told = asked["parameters"]
            fields = {
                "prompt": asked["instances"][0]["prompt"],
                "size": told["aspectRatio"],
                "seconds": told["durationSeconds"],
            }
            job = self._new(account, fields)
            job["asked"] = asked
            return self._json(writer, 200, {"name": f"models/veo/operations/{job['video']['id']}"})
        file = re.fullmatch(r"/v1beta/files/(\w+)(:download)?", path)
        id_ = file[1] if file else path.rpartition("/")[2]
        job = self.jobs.get(id_)
        if job is None or job["account"] != account:
            return self._json(
                writer, 404, {"error": {"code": 404, "status": "NOT_FOUND", "message": "no"}}
            )
        if file and method == "DELETE":
            del self.jobs[id_]
            return self._json(writer, 200, {})
        if file:
            return await self._content(writer, headers, method)
        video = job["video"]
        answer = {"name": f"models/veo/operations/{id_}"}
        if video["status"] == "completed":
            uri = f"https://generativelanguage.googleapis.com/v1beta/files/{id_}:download?alt=media"
            answer |= {
                "done": True,
                "response": {
                    "generateVideoResponse": {"generatedSamples": [{"video": {"uri": uri}}]}
                },
            }
        if video["status"] == "failed":
            answer |= {
                "done": True,
                "error": {
                    "code": 3,
                    "status": "INVALID_ARGUMENT",
                    "message": video["error"]["message"],
                },
            }
        return self._json(writer, 200, answer)

    async def _content(self, writer, headers, method):
        if self.says is not None:
            return self._json(writer, 200, self.says)
        if self.elsewhere:
            location = f"location: {self.elsewhere}\r\n".encode()
            writer.write(b"HTTP/1.1 302 Found\r\n%bcontent-length: 0\r\n\r\n" % location)
            return await writer.drain()
        return await self._file(writer, headers, method)

    async def _picture(self, writer, variant):
        kind, data = self.pictures.get(variant, (b"", None))
        status = data if isinstance(data, int) else 200
        if data is None:
            status = 404
        if status != 200:
            return self._json(writer, status, {"error": {"message": "No.", "code": None}})
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n%b"
            % (kind, len(data), data)
        )
        await writer.drain()
        return None

    async def _file(self, writer, headers, method):
        content, status, more = self.content, b"200 OK", b""
        size = len(content)
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", ""))
        if found and int(found[1]) >= size:
            writer.write(
                b"HTTP/1.1 416 No\r\ncontent-range: bytes */%d\r\ncontent-type: text/plain\r\ncontent-length: 7\r\n\r\nsecret!"
                % size
            )
            await writer.drain()
            return
        if found:
            start = int(found[1])
            end = int(found[2]) + 1 if found[2] else size
            content, status = content[start:end], b"206 Partial"
            more = b"content-range: bytes %d-%d/%d\r\n" % (start, end - 1, size)
        writer.write(
            b'HTTP/1.1 %b\r\ncontent-type: %b\r\naccept-ranges: bytes\r\netag: "e1"\r\nx-secret: account\r\n%bcontent-length: %d\r\n\r\n'
            % (status, self.content_type, more, len(content))
        )
        view = memoryview(content)
        for start in range(0, len(content), 65_536):
            writer.write(bytes(view[start : start + 65_536]))
            await writer.drain()

    def _json(self, writer, status, body):
        data = msgspec.json.encode(body)
        writer.write(
            b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
            % (status, len(data), data)
        )
