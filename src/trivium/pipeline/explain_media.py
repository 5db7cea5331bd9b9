"""What a rehearsal tells of requests that are not JSON: forms, whose files it does without, and
videos, which are made by jobs.

A form is asked about as a JSON object of its fields. A file is an object with a ``filename`` and,
where they matter, ``content_type``, ``size`` in bytes and ``seconds``.
"""

from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.videos import create
from trivium.providers.videos.protocol import FormBody, ReferencePicture
from trivium.providers.videos.registry import protocol_of
from trivium.routing.model import Plan, Step
from trivium.uploads.form import OutgoingForm, Upload
from trivium.uploads.spool import Room, Spool
from trivium.wire.audio.length.measure import assumed
from trivium.wire.form import FormMembers
from trivium.wire.multipart import Part
from trivium.wire.operation import FORM_ONLY, FORM_OR_JSON, Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members
from trivium.wire.videos import request
from trivium.wire.videos.request import VideoRequest

_SIZE: Final = 1_000_000
"""Bytes of a file that does not say how many it has."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    filename: str
    content_type: str = ""
    size: int = _SIZE
    seconds: float | None = None


def received(context: RequestContext, members: Members) -> Members:
    """The members of a request whose operation may take a form, as the gateway would read them.

    Raises ``Fault`` (INVALID_VALUE) for a file that cannot be understood.
    """
    if context.operation not in FORM_ONLY | FORM_OR_JSON:
        return members
    parts: list[Part] = []
    seconds: tuple[float, bool] | None = None
    for name, raw in members.pairs:
        value = msgspec.json.decode(raw)
        values = value if isinstance(value, list) else [value]
        for one in values:
            if one is None:
                continue
            if not (isinstance(one, dict) and "filename" in one):
                inside = one if isinstance(one, str) else msgspec.json.encode(one).decode()
                spelled = f"{name}[]" if isinstance(value, list) else name
                parts.append(Part(name=spelled, value=inside.encode()))
                continue
            file = _file(name, one)
            start = sum(part.size for part in parts)
            parts.append(
                Part(
                    name=name,
                    filename=file.filename,
                    content_type=file.content_type,
                    start=start,
                    size=file.size,
                )
            )
            known = file.seconds
            seconds = (assumed(file.size), True) if known is None else (known, False)
    if context.operation in FORM_OR_JSON and not any(part.is_file for part in parts):
        return members
    context.exchange.upload = Upload(parts, Spool(Room()), sum(part.size for part in parts))
    context.exchange.body = b""
    context.replace_body(b"")
    form = FormMembers(parts)
    form.length = seconds
    return form


def _file(name: str, value: dict[str, Any]) -> _File:
    try:
        return msgspec.convert(value, _File)
    except msgspec.ValidationError as exc:
        raise Fault(
            Kind.INVALID_VALUE,
            f"`{name}`: {exc}. A file is asked about as "
            '{"filename": "a.mp3", "content_type": "audio/mpeg", "size": 90000, "seconds": 7.5}.',
            param=name,
        ) from None


def shown(body: bytes | OutgoingForm | FormBody | None) -> msgspec.Raw:
    """A body as it would be sent; a form as a list of its parts, files without their bytes."""
    if isinstance(body, bytes):
        return msgspec.Raw(body)
    parts = () if body is None else body.parts
    return msgspec.Raw(msgspec.json.encode([_part(part) for part in parts]))


def _part(part: Part) -> dict[str, Any]:
    if part.is_file:
        return {"name": part.name, "filename": part.filename, "size": part.size}
    return {"name": part.name, "value": part.value.decode("utf-8", "replace")}


class ExplainedVideo:
    """A video that nobody makes."""

    def __init__(self, context: RequestContext, members: Members) -> None:
        """Raises ``Fault`` as a request for it would."""
        form = members if isinstance(members, FormMembers) else None
        parts = form.parts if form else ()
        name = request.model_of(None if form else members, parts)
        context.facts = RequestFacts(model=name)
        caller = context.exchange.caller
        assert caller is not None
        context.services.admission.permit(caller, name)
        model = context.services.router.find(name)
        sizes = create.sizes_of(model, context.services.clock.now())
        self._asked: VideoRequest = (
            request.read_form(parts, sizes) if form else request.read(members, sizes)
        )
        self._context = context
        self.facts = RequestFacts(model=name, seconds=self._asked.seconds, size=self._asked.size)

    async def planned(self) -> Plan:
        """The channels that would be asked. Raises ``Fault`` when there is none."""
        assert self._context.model is not None
        return create.planned(self._context, self._context.model)

    async def sent(self, step: Step) -> dict[str, Any]:
        """What one channel would be sent. Raises ``Fault`` naming what cannot be carried."""
        binding = step.binding
        protocol = protocol_of(step.operation)
        picture = None
        if protocol.inline and self._asked.reference is not None:
            picture = ReferencePicture("image/*", b"")
        served = binding.channel.provider.paths[step.operation]
        errand = protocol.create(served, self._asked, binding.model, picture)
        return {
            "operation": step.operation.value,
            "lane": "pass-through" if step.operation is Operation.VIDEOS else "translation",
            "body": shown(errand.body),
        }
