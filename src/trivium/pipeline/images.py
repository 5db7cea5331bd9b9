"""Pictures: which model is meant, what its class takes, and the lane to each kind of upstream.

An upstream of the images shape gets the caller's own body; a model that draws in answer to
generate-content gets it translated. Either way the answer may hold bytes where the caller wants
addresses: ``pipeline/image_attempt.py`` makes those.
"""

import binascii
import secrets
from typing import Final

import msgspec

from trivium.conversation import image_info
from trivium.conversation.estimate import of_bytes
from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.pipeline.lane import is_strict, notes_of
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import ImageOrder, WholeAnswer
from trivium.providers.failure import error_event
from trivium.providers.images import frame, row_of, table
from trivium.routing.model import Model, Step
from trivium.uploads.form import OutgoingForm
from trivium.wire.form import FormMembers
from trivium.wire.images import answer, generate, rules
from trivium.wire.images.edit import IMAGE, MASK, check_pictures, inline, parts, wish_of
from trivium.wire.images.passage import PASSAGE
from trivium.wire.images.request import WORDS, ImageRequest, checked
from trivium.wire.images.rules import LEGACY, ImageClass
from trivium.wire.multipart import Part
from trivium.wire.multipart_writer import BOUNDARY_BYTES
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts, StreamWatch
from trivium.wire.peek import Members

SOURCES_BYTES_MAX: Final = 15_000_000
"""Pictures inside one JSON body: twenty megabytes in base64, which Google takes at most."""

KINDS: Final = {Operation.IMAGES: "image_generation", Operation.IMAGES_EDIT: "image_edit"}
"""What the events of a stream begin with."""


def named(context: RequestContext, members: Members, facts: RequestFacts) -> RequestFacts:
    """The facts with the model that is meant where none is named. Keeps the wish in the context."""
    wanted = wish_of(members, context.operation, words=False)
    context.image_order = ImageOrder(wanted)
    if facts.model:
        return facts
    defaults = context.services.pictures or table().defaults
    return msgspec.structs.replace(
        facts, model=defaults.gpt if wanted.is_for_gpt else defaults.legacy
    )


def class_of(model: Model) -> ImageClass | None:
    """The class of a model: the operator's word, else its name's, else its channels' names'."""
    if model.image_class is not None:
        return ImageClass(model.image_class)
    for name in (model.name, *(binding.model for binding in model.bindings)):
        row = row_of(name)
        if row is not None:
            return row.of
    return None


def check(context: RequestContext) -> None:
    """Hold the wish against what the model takes. Raises ``Fault`` naming the member."""
    asked, model, members = context.image_order, context.model, context.members
    assert asked is not None
    assert model is not None
    found = class_of(model)
    if found is not ImageClass.OPEN:
        checked(asked.wanted, prompt=context.operation is not Operation.IMAGES_VARY)
    wanted = asked.wanted
    if context.stood_in and wanted.response_format == "url" and context.services.assets is not None:
        wanted = msgspec.structs.replace(
            wanted, response_format=None
        )  # of its bytes we make addresses
    rules.check(wanted, found, model.name, context.operation)
    if context.operation is not Operation.IMAGES and members is not None:
        own = rules.RULES.get(found) if found is not None else None
        who = f"`{model.name[:200]}`" + (f", {own.title}" if own is not None else "")
        check_pictures(members, context.operation, own, who)


async def bring(context: RequestContext, step: Step, members: Members) -> None:
    """Have the pictures that come in at hand, for a channel that takes them inside its JSON.

    Raises ``Fault``: BODY_TOO_LARGE, UNREPRESENTABLE for what is not in the request.
    """
    asked, upload = context.image_order, context.exchange.upload
    assert asked is not None
    if step.operation is not Operation.GENERATE or asked.sources is not None:
        return
    if context.operation is Operation.IMAGES:
        asked.sources = ()
        return
    if not isinstance(members, FormMembers):
        if members.raw(MASK) is not None:
            raise _no_mask(step)
        asked.sources = inline(members)
        return
    assert upload is not None
    if members.files(MASK):
        raise _no_mask(step)
    files = members.files(IMAGE)
    if sum(part.size for part in files) > SOURCES_BYTES_MAX:
        raise Fault(
            Kind.BODY_TOO_LARGE,
            f"The pictures may have {SOURCES_BYTES_MAX} bytes together for this model.",
            param=IMAGE,
        )
    sources = []
    for part in files:
        data = await upload.read(part, 0, part.size)
        sources.append(
            generate.SourceImage(kind_of(data), binascii.b2a_base64(data, newline=False).decode())
        )
    asked.sources = tuple(sources)


def _no_mask(step: Step) -> Fault:
    return Fault(
        Kind.UNREPRESENTABLE,
        f"`{MASK}` cannot be carried to {step.binding.model}: it has no masks. Say in the prompt "
        "what is to be changed.",
        param=MASK,
    )


def kind_of(data: bytes) -> str:
    """The content type of a picture by its first bytes; never what somebody says it is."""
    return image_info.type_of(data) or "application/octet-stream"


class ImagesLane:
    """What the lanes have in common: usage, and whether addresses are wanted."""

    __slots__ = ("_asked", "_estimated", "_facts", "_kind", "_wish", "by_address", "owed", "report")

    def __init__(self, context: RequestContext, step: Step, facts: RequestFacts) -> None:
        asked, model = context.image_order, context.model
        assert asked is not None
        wanted = asked.wanted
        assert model is not None
        self.report = Report(
            f"the pictures of {step.binding.model}", strict=is_strict(context.exchange)
        )
        self._wish: ImageRequest = wanted
        self._facts = facts
        self._estimated = False
        self._kind = class_of(model)
        first = context.services.router.find(facts.model) if context.stood_in else model
        self._asked = class_of(first)
        """Of the model that was asked for, whichever draws."""
        self.by_address = wanted.response_format == "url" or (
            wanted.response_format is None and self._asked in LEGACY
        )
        """Whether the caller wants addresses, where bytes come."""
        self.owed: Usage | None = None
        """What a model has used that worked, and drew nothing for want of a request it draws."""

    @property
    def notes(self) -> Headers:
        """What was left out, and whether usage is our own count."""
        return notes_of(self.report, estimated=self._estimated)

    def unkept(self) -> None:
        """Say that pictures could not be kept, so that they go out as bytes."""
        why = "the pictures could not be kept, so here they are"
        self.report.omit(Rank.HINT, "response_format", why, DropAction.CHANGED)

    def _told(self, usage: Usage | None, model: str) -> Usage | None:
        """Usage with the tokens we take a picture for where its vendor tells none.

        The legacy models have none: they are counted by the piece, which is exact.
        """
        if usage is None or usage.input_total or usage.output_total or self._kind in LEGACY:
            return usage
        row = row_of(model)
        each = (row.tokens if row is not None else 0) or table().defaults.tokens
        self._estimated = True
        return msgspec.structs.replace(
            usage,
            fresh=of_bytes(len((self._wish.prompt or "").encode())),
            image_output=each * sum(images.count for images in usage.images),
            estimated=True,
        )


class RelayedImages(ImagesLane):
    """The caller's own shape: its body with a few members spliced, the answer as it came."""

    __slots__ = ("_model", "body", "operation", "pictures")

    def __init__(
        self, context: RequestContext, step: Step, members: Members, facts: RequestFacts
    ) -> None:
        """Leaves out what the class does not know and what changes nothing."""
        super().__init__(context, step, facts)
        self.operation = step.operation
        self._model = step.binding.model
        changes = dict(PASSAGE.changes(members, facts, step.binding.model, False))
        for name in rules.unsent(self._wish, self._kind):
            changes[name] = None
            if name == "response_format":
                self.report.omit(Rank.HINT, name, "base64 is what it answers with anyway")
        known = rules.RULES.get(self._kind) if self._kind is not None else None
        if known is not None:
            # a null of another class's member is no error here, and would be one there
            nulls = (name for name in WORDS if name in members and name not in known.words)
            changes |= dict.fromkeys(nulls)
        bytes_wanted = context.stood_in and self._kind in LEGACY and not self.by_address
        if bytes_wanted:
            changes["response_format"] = b'"b64_json"'  # it gives addresses by itself
        self.body: bytes | OutgoingForm
        upload = context.exchange.upload
        if upload is not None and isinstance(members, FormMembers):
            left = frozenset(name for name, value in changes.items() if value is None)
            boundary = secrets.token_hex(BOUNDARY_BYTES).encode()
            found = parts(members, self._model, left)
            if bytes_wanted and self._wish.response_format is None:
                found.append(Part(name="response_format", value=b"b64_json"))
            self.body = OutgoingForm(upload, found, boundary)
        else:
            self.body = members.splice(changes) if changes else context.exchange.body
        self.pictures: list[bytes] = []
        """In base64, once the answer is there, where addresses are wanted."""

    def whole(self, body: bytes) -> WholeAnswer:
        """The same bytes. Raises ``Fault`` when they are no answer."""
        found = answer.view(body)
        told = answer.answer(body)
        if told.error is not None:
            raise error_event(told.error)
        if self._facts.stream:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream answered without streaming.")
        if self.by_address:
            self.pictures = answer.pictures(found)
        return WholeAnswer(body, self._told(answer.used(found, self._facts), self._model))

    def watch(self) -> StreamWatch | None:
        """Passes pictures as they come."""
        assert PASSAGE.watch is not None
        return PASSAGE.watch(self._facts)


class TranslatedImages(ImagesLane):
    """A model that draws in answer to generate-content."""

    __slots__ = ("_created", "_event", "_model", "body", "operation", "pictures")

    def __init__(self, context: RequestContext, step: Step, facts: RequestFacts) -> None:
        """Raises ``Fault`` naming a member that cannot be carried."""
        super().__init__(context, step, facts)
        asked = context.image_order
        assert asked is not None
        sources = asked.sources or ()
        self.operation = step.operation
        self._model = step.binding.model
        self._created = int(context.services.clock.now())
        self._event = KINDS[context.operation]
        self.body: bytes = generate.write_request(self._wish, sources, frame, self.report)
        self.pictures: list[bytes] = []

    def whole(self, body: bytes) -> WholeAnswer:
        """The pictures in the caller's shape; of a streamed answer its one event."""
        drawn = generate.read_answer(body, error_event, self._facts.size)
        if drawn.declined is not None:
            self.owed = drawn.usage
            raise drawn.declined
        if drawn.said:
            self.report.omit(Rank.HINT, "answer.text", "the images shape has no place for it")
        usage = self._told(drawn.usage, self._model)
        drawn = msgspec.structs.replace(drawn, usage=usage)
        if self._facts.stream:
            return WholeAnswer(generate.write_event(drawn, self._created, self._event), usage)
        if self.by_address:
            self.pictures = [picture.encode() for picture in drawn.pictures]
        return WholeAnswer(generate.write_answer(drawn, self._created), usage)

    def watch(self) -> StreamWatch | None:
        """The upstream answers whole."""
        return None


def lane_for(
    context: RequestContext, step: Step, members: Members, facts: RequestFacts
) -> RelayedImages | TranslatedImages:
    """One attempt's lane. Raises ``Fault`` naming a member that cannot be carried."""
    if context.stood_in:
        check(context)  # another model, of another class perhaps
    if step.operation is Operation.GENERATE:
        return TranslatedImages(context, step, facts)
    return RelayedImages(context, step, members, facts)
