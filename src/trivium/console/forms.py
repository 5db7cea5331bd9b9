"""Forms: fields of a struct out of what a browser sent, with what is wrong beside each field.

``Guarded`` stands before every page for people: nothing that changes state passes unless it came
from a page of ours in the same browser. It reads the form once; ``filled`` makes a struct of it.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Generic, TypeVar, get_args
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import inspect
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.console import context, session
from trivium.console.language import N_, LazyText, text

DIGITS_MAX: Final = 15
"""No database has so many rows, and each engine takes such a number."""


class _Row(Convertor[int]):
    regex = f"[0-9]{{1,{DIGITS_MAX}}}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("row", _Row())


def row(name: str) -> str:
    """The step of a path that is an id, which the handler finds as an ``int`` under this name;
    whatever no row can have as its id is a path that is not there.
    """
    return f"{{{name}:row}}"


FORM_BYTES_MAX: Final = 65_536
FIELDS_MAX: Final = 200
TOKEN: Final = "csrf"  # noqa: S105 - the name of a field
"""The field with the form's token."""
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

Password = Annotated[str, msgspec.Meta(min_length=1, max_length=256, extra={"raw": True})]
"""Kept exactly as typed; whether it is good enough is for who stores it to say."""
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
"""One line that must not be empty."""

Id = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
"""Of a row, as our own forms carry it."""

T = TypeVar("T", bound=msgspec.Struct)


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of one form. A field with a default may be left empty; ``bool`` is a checkbox."""


class Filled(Generic[T]):
    """A form as it was sent: ``value`` when every field is right, else ``errors`` by field."""

    def __init__(self, kind: type[T], given: Mapping[str, Sequence[str]]) -> None:
        self.given = given
        """As sent, to be shown again."""
        self.errors: dict[str, LazyText] = {}
        """What is wrong, by field; the empty name is the form as a whole."""
        self._value: T | None = None
        self._read(kind)

    @property
    def value(self) -> T | None:
        """The checked fields; ``None`` while any is wrong."""
        return None if self.errors else self._value

    def fail(self, field: str, message: LazyText | str) -> None:
        """Say what is wrong with a field, or with an empty name: with the whole form."""
        self.errors.setdefault(field, text(message) if isinstance(message, str) else message)

    def first(self, field: str) -> str:
        """The first value sent for a field; empty when there is none."""
        return next(iter(self.given.get(field, ())), "")

    def _read(self, kind: type[T]) -> None:
        values: dict[str, Any] = {}
        for field in msgspec.structs.fields(kind):
            sent = self.given.get(field.encode_name, ())
            if field.required or any(sent):
                self._read_field(field, sent, values)
            elif field.type is bool:
                values[field.name] = False
        if not self.errors:
            self._value = kind(**values)

    def _read_field(
        self, field: msgspec.structs.FieldInfo, sent: Sequence[str], values: dict[str, Any]
    ) -> None:
        shape = inspect.type_info(field.type)
        raw = "raw" in _extra(field.type)
        given = [each if raw else each.strip() for each in sent]
        given = [each for each in given if each]
        value: Any
        if isinstance(shape, inspect.CollectionType | inspect.VarTupleType):
            value = given
        elif isinstance(shape, inspect.BoolType):
            value = bool(given)
        elif not given:
            self.fail(field.name, N_("Please fill in this field."))
            return
        else:
            value = given[0]
        try:
            values[field.name] = msgspec.convert(value, field.type, strict=False)
        except msgspec.ValidationError:
            self.fail(field.name, _wrong(shape))


def _extra(kind: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for meta in get_args(kind)[1:]:
        if isinstance(meta, msgspec.Meta):
            found |= meta.extra or {}
    return found


def _wrong(shape: inspect.Type) -> LazyText:
    """Return in words what a field takes."""
    if isinstance(shape, inspect.Metadata):
        return _wrong(shape.type)
    if isinstance(shape, inspect.UnionType):
        return _wrong(shape.types[0])
    if isinstance(shape, inspect.StrType):
        return _wrong_text(shape)
    if isinstance(shape, inspect.IntType):
        return _wrong_number(shape)
    if isinstance(shape, inspect.DateType):
        return text(N_("Please give a day, such as 2027-01-31."))
    return text(N_("Please choose one of what is offered."))


def _wrong_number(shape: inspect.IntType) -> LazyText:
    if shape.ge is None or shape.le is None:
        return text(N_("Please give a whole number."))
    said = N_("Please give a whole number from %(low)s to %(high)s.")
    return text(said, low=shape.ge, high=shape.le)


def _wrong_text(shape: inspect.StrType) -> LazyText:
    if shape.max_length is None or shape.pattern:
        return text(N_("This is not written as it should be."))
    low, high = shape.min_length or 0, shape.max_length
    if low > 1:
        return text(N_("Please use %(low)s to %(high)s characters."), low=low, high=high)
    return text(N_("Please use at most %(high)s characters."), high=high)


def empty(kind: type[T], /, **given: str | Sequence[str] | None) -> Filled[T]:
    """Return a form that has not been filled in, with what it shows at first."""
    form = Filled(
        kind,
        {
            name: [value] if isinstance(value, str) else value
            for name, value in given.items()
            if value is not None
        },
    )
    form.errors.clear()
    return form


def filled(request: Request, kind: type[T]) -> Filled[T]:
    """Read what the browser sent for this form."""
    return Filled(kind, request.state.form)


class Guarded:
    """Lets state be changed only by forms that we gave to this browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, or refuse with 403. Raises HTTPException."""
        request = Request(scope, receive)
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            raise HTTPException(404)  # no text of ours, and PostgreSQL takes none that has it
        # the session decides what a form's token is bound to
        found = await session.current(request)
        if request.method not in _SAFE:
            same_site(request)
            request.state.form = await _read(request)
            if not session.bears_token(request, "".join(request.state.form.get(TOKEN, ()))):
                if found is None and session.token(request):
                    # the session has ended since the page was shown
                    await session.to_login(request, session.HOME)(scope, receive, send)
                    return
                raise HTTPException(403, "form")
        await self._app(scope, receive, send)


def same_site(request: Request) -> None:
    """Refuse what another site's page sends. Browsers that keep quiet are left to the token."""
    said = request.headers.get("sec-fetch-site")
    if said is not None:
        # `none`: the person did it, by reloading or from the address bar
        if said not in ("same-origin", "none"):
            raise HTTPException(403, "form")
        return
    origin = request.headers.get("origin")
    # pages without a referrer send `null`, also to ourselves
    if origin not in (None, "null") and origin not in _own_origins(request):
        raise HTTPException(403, "form")


def _own_origins(request: Request) -> set[str]:
    console = context.of(request)
    server = console.settings.server
    urls = {console.origin, server.public_url or "", server.api_url or ""}
    return {f"{part.scheme}://{part.netloc}" for part in map(urlsplit, urls) if part.netloc}


async def _read(request: Request) -> dict[str, list[str]]:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/x-www-form-urlencoded":
        raise HTTPException(415)
    body = await request.body()
    if len(body) > FORM_BYTES_MAX:
        raise HTTPException(413)
    found: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=False,
            errors="strict",
            max_num_fields=FIELDS_MAX,
        )
    except ValueError:
        raise HTTPException(400) from None
    for name, value in pairs:
        if "\0" in value:
            raise HTTPException(400)
        found.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return found
