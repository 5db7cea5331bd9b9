"""Reads a multipart/form-data body piece by piece. Pure: file content goes to a function.

The boundaries are found by python-multipart; what HTTP, RFC 7578 and we ask beyond it is here: a
last boundary, a name for every part, no transfer encoding, limits before anything is kept. Text
fields are kept in memory, files are handed on as they come: a file part is known by where its bytes
begin among all file bytes of the form, and how many they are.
"""

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import msgspec

from trivium.faults import Fault, Kind

FORM: Final = b"multipart/form-data"
_BOUNDARY: Final = re.compile(
    rb"""\s*multipart/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s";]{1,70})(?=[\s;]|$))""",
    re.IGNORECASE | re.DOTALL,
)
_BOUNDARY_ITSELF: Final = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]*[0-9A-Za-z'()+_,./:=?-]")
_PARAMETER: Final = re.compile(
    rb';\s*([!#$%&\'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*+)"|([^\s;"]*))\s*'
)
_KEPT: Final = (b"content-disposition", b"content-type", b"content-transfer-encoding")
_HARMLESS: Final = (b"", b"7bit", b"8bit", b"binary")
_CHARSETS: Final = {b"utf-8": "utf-8", b"iso-8859-1": "latin-1"}
_BAD_PERCENT: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_MEDIA_TYPE: Final = re.compile(rb"[\x21-\x7e][\x20-\x7e]{0,254}")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a form may hold; more is refused before it is kept."""

    parts: int = 200
    headers: int = 8
    """Header lines of one part; clients send two or three."""
    header_bytes: int = 8_192
    """Of one header line: a file name is at most 255 bytes nearly everywhere."""
    fields_bytes: int = 1_048_576
    """Of all text fields together."""


LIMITS: Final = Limits()


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a form: a text field, or a file."""

    name: str
    """As it was sent, brackets and all."""
    value: bytes = b""
    """Of a text field; empty for a file."""
    filename: str | None = None
    """``None``: a text field."""
    content_type: str = ""
    """Empty when the part names none."""
    start: int = 0
    """Where a file's bytes begin among all file bytes of the form."""
    size: int = 0
    """Bytes of the file."""

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return self.filename is not None


def boundary_of(content_type: bytes) -> bytes | None:
    """The boundary that a request's content type names; ``None`` when it is not a form.

    Raises ``Fault`` (MALFORMED_FORM) for a form without a usable one.
    """
    if content_type.partition(b";")[0].strip().lower() != FORM:
        return None
    found = _BOUNDARY.match(content_type)
    boundary = (found[1] or found[2]) if found else None
    if boundary is None or not _BOUNDARY_ITSELF.fullmatch(boundary):
        raise _malformed(
            "its content type names no boundary. Let the HTTP library write the `Content-Type` "
            "header of a multipart request itself"
        )
    return boundary


class FormReader:
    """Reads one form. ``feed`` the body as it comes, then ``finish``."""

    def __init__(
        self, boundary: bytes, keep: Callable[[bytes], None], limits: Limits = LIMITS
    ) -> None:
        """``keep`` is given the bytes of files, one file after the other."""
        # late: most processes never see a form
        from python_multipart.exceptions import FormParserError
        from python_multipart.multipart import MultipartParser

        self._error = FormParserError
        self._keep = keep
        self._limits = limits
        self._parts: list[Part] = []
        self._headers: dict[bytes, bytes] = {}
        self._name = b""
        self._value = b""
        self._current: Part | None = None
        self._field: list[bytes] = []
        self._fields_bytes = 0
        self._files_bytes = 0
        self._ended = False
        self._fed = 0
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._on_part_begin,
                "on_header_field": self._on_header_field,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers_finished,
                "on_part_data": self._on_part_data,
                "on_part_end": self._on_part_end,
                "on_end": self._on_end,
            },
            max_header_count=limits.headers,
            max_header_size=limits.header_bytes,
        )
        self._parser.logger.disabled = True  # what is wrong is told to whoever sent it

    def feed(self, data: bytes) -> None:
        """Read on. Raises ``Fault``: MALFORMED_FORM, BODY_TOO_LARGE."""
        try:
            self._parser.write(data)
        except self._error as error:
            raise _malformed(f"{_told(error)}, near byte {self._fed + _offset(error)}") from None
        self._fed += len(data)

    def finish(self) -> tuple[Part, ...]:
        """The parts, in order. Raises ``Fault`` (MALFORMED_FORM) when the form is not whole."""
        if not self._ended:
            raise _malformed(
                "it ends before its last boundary (`--boundary--`)" if self._fed else "it is empty"
            )
        return tuple(self._parts)

    # --- python-multipart's side ------------------------------------------------------------

    def _on_part_begin(self) -> None:
        if len(self._parts) >= self._limits.parts:
            raise Fault(Kind.BODY_TOO_LARGE, f"The form has more than {self._limits.parts} parts.")
        self._headers = {}

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        name = self._name.lower()
        if name in _KEPT:
            if name in self._headers:
                raise _malformed(f"a part has two `{name.decode()}` headers")
            self._headers[name] = self._value.strip()
        self._name = self._value = b""

    def _on_headers_finished(self) -> None:
        if self._name or self._value:
            raise _malformed("a part's headers do not end")
        self._current = self._begun()
        self._field = []

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        part = self._current
        assert part is not None
        if part.is_file:
            self._files_bytes += end - start
            self._keep(data[start:end])
            return
        self._fields_bytes += end - start
        if self._fields_bytes > self._limits.fields_bytes:
            raise Fault(
                Kind.BODY_TOO_LARGE,
                f"The form's text fields exceed {self._limits.fields_bytes} bytes together.",
                param=part.name,
            )
        self._field.append(data[start:end])

    def _on_part_end(self) -> None:
        part = self._current
        if part is None:
            raise _malformed("a part ends within its headers")
        if part.is_file:
            done = msgspec.structs.replace(part, size=self._files_bytes - part.start)
        else:
            done = msgspec.structs.replace(part, value=b"".join(self._field))
        self._parts.append(done)
        self._current = None

    def _on_end(self) -> None:
        self._ended = True

    # --- own ----------------------------------------------------------------------------------

    def _begun(self) -> Part:
        """The part whose headers are whole."""
        headers = self._headers
        disposition = headers.get(b"content-disposition")
        if disposition is None:
            raise _malformed("a part has no `Content-Disposition` header")
        options = _options(disposition)
        if options is None:
            raise _malformed(
                "a part's `Content-Disposition` is not `form-data` with a name: "
                f"{disposition[:80].decode('latin-1')!r}"
            )
        name = _text(options[b"name"], "the name of a part")
        coding = headers.get(b"content-transfer-encoding", b"").lower()
        if coding not in _HARMLESS:
            raise _malformed(f"`{name}` is sent with a content transfer encoding; send it as it is")
        filename = options.get(b"filename")
        kind = headers.get(b"content-type", b"")
        return Part(
            name=name,
            filename=None if filename is None else _text(filename, f"the file name of `{name}`"),
            content_type=kind.decode("latin-1") if _MEDIA_TYPE.fullmatch(kind) else "",
            start=0 if filename is None else self._files_bytes,
        )


def _options(disposition: bytes) -> dict[bytes, bytes] | None:
    """The parameters of a part's disposition; ``None`` when it is not a form's.

    RFC 7578, 4.2 forbids the extended file name (``filename*=``) in forms. Some clients write it
    beside the plain one, which wins, and old ones instead of it.
    """
    kind, separator, _ = disposition.partition(b";")
    if kind.strip().lower() != b"form-data":
        return None
    found: dict[bytes, bytes] = {}
    at = len(kind)
    while separator and at < len(disposition):
        match = _PARAMETER.match(disposition, at)
        if match is None:
            if disposition[at:].strip(b"; \t"):
                return None
            break
        key = match[1].lower()
        if key in found:
            return None
        quoted = match[2]
        # browsers escape a quote as %22, others with a backslash; a lone backslash is a path's
        found[key] = match[3] if quoted is None else quoted.replace(b'\\"', b'"')
        at = match.end()
    extended = found.get(b"filename*")
    if extended is not None and b"filename" not in found:
        found[b"filename"] = _extended(extended)
    return found if found.get(b"name") else None


def _extended(value: bytes) -> bytes:
    """A file name in the notation of RFC 8187, in UTF-8. Raises ``Fault`` (MALFORMED_FORM)."""
    charset, _, rest = value.partition(b"'")
    _, quote, name = rest.partition(b"'")
    coding = _CHARSETS.get(charset.lower())
    if not quote or coding is None or _BAD_PERCENT.search(name):
        raise _malformed("a part's `filename*` cannot be read")
    try:
        return unquote_to_bytes(name).decode(coding).encode()
    except UnicodeDecodeError:
        raise _malformed("a part's `filename*` cannot be read") from None


def _text(raw: bytes, what: str) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise _malformed(f"{what} is not UTF-8") from None
    if any(mark in text for mark in "\r\n\0"):
        raise _malformed(f"{what} holds a control character")
    return text


def _malformed(why: str) -> Fault:
    return Fault(Kind.MALFORMED_FORM, f"The request body is not a valid form: {why}.")


def _told(error: Any) -> str:
    text = str(error).partition(" (")[0].partition(" at index")[0].rstrip(".")
    return text[0].lower() + text[1:] if text else "unreadable"


def _offset(error: Any) -> int:
    return max(0, getattr(error, "offset", 0))
