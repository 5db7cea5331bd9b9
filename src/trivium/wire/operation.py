"""The one table of operations: a row says everything that the gateway has to know of each.

A *shape* is a public wire protocol; an *operation* is one thing asked for in that shape. Routes,
providers, plans and records all name operations by these words.

Whatever differs from operation to operation is looked up in what is derived from the table, here
or at other levels: the callers' addresses (``edge/routes.py``) and the vendors' usual ones
(``providers/registry.py``), what is charged for (``ledger/quote.py``), what may be asked for twice
at once (``pipeline/hedging.py``). All of it is derived at import: an operation without a row, or
with a product that nobody can price, does not start. Behaviour has its own places, one a shape:
what the pass-through lane does is in ``wire/registry.py``, the description in
``edge/openapi/<shape>.py``.
"""

from enum import Enum, unique
from typing import Final, NamedTuple


@unique
class Shape(Enum):
    """A public wire protocol, or a vendor's own. Decides how errors and streams are written."""

    CHAT = "chat"
    RESPONSES = "responses"
    COMPLETIONS = "completions"
    EMBEDDINGS = "embeddings"
    MODERATIONS = "moderations"
    RERANK = "rerank"
    IMAGES = "images"
    AUDIO = "audio"
    MESSAGES = "messages"
    GENERATE = "generate"
    VIDEOS = "videos"
    CONVERSE = "converse"  # Amazon Bedrock
    COHERE = "cohere"
    VENDOR = "vendor"  # one provider's own, which no caller speaks

    # docs/decisions/0022-hot-marks.md says why, here and wherever an Enum has it
    __hash__ = object.__hash__


@unique
class Operation(Enum):
    """One thing a caller can ask a model for."""

    CHAT = "chat"
    RESPONSES = "responses"
    COMPLETIONS = "completions"
    EMBEDDINGS = "embeddings"
    MODERATIONS = "moderations"
    RERANK = "rerank"
    IMAGES = "images"  # POST /v1/images/generations
    IMAGES_EDIT = "images_edit"
    IMAGES_VARY = "images_vary"
    VIDEOS = "videos"  # POST /v1/videos, and whatever is asked of a video later
    SPEECH = "speech"  # POST /v1/audio/speech
    TRANSCRIPTIONS = "transcriptions"  # POST /v1/audio/transcriptions
    TRANSLATIONS = "translations"  # POST /v1/audio/translations
    RESPONSES_COUNT = "responses_count"  # POST /v1/responses/input_tokens
    MESSAGES = "messages"
    MESSAGES_COUNT = "messages_count"  # POST /v1/messages/count_tokens
    GENERATE = "generate"  # :generateContent
    GENERATE_STREAM = "generate_stream"  # :streamGenerateContent
    GENERATE_COUNT = "generate_count"  # :countTokens
    GENERATE_EMBED = "generate_embed"  # :embedContent
    GENERATE_EMBED_BATCH = "generate_embed_batch"  # :batchEmbedContents
    GENERATE_PREDICT = "generate_predict"  # :predict, of texts to be embedded; upstream only
    GENERATE_VIDEO = "generate_video"  # :predictLongRunning; upstream only
    CONVERSE = "converse"  # POST /model/{model}/converse
    CONVERSE_STREAM = "converse_stream"  # POST /model/{model}/converse-stream
    CONVERSE_COUNT = "converse_count"  # POST /model/{model}/count-tokens, of a conversation
    COHERE_CHAT = "cohere_chat"  # POST /v2/chat
    COHERE_EMBED = "cohere_embed"  # POST /v2/embed
    INVOKE_EMBED = "invoke_embed"  # POST /model/{model}/invoke, of texts to be embedded
    VENDOR = "vendor"  # a conversation in the provider's own shape; upstream only

    __hash__ = object.__hash__  # as above


@unique
class Product(Enum):
    """What an operation makes. Decides what is charged for: ``ledger/quote.py`` prices each."""

    TEXT = "text"  # input and output tokens
    TOKEN_COUNT = "token count"  # noqa: S105 - no password. Nothing is charged
    VECTORS = "vectors"  # input tokens
    VERDICTS = "verdicts"  # input tokens
    IMAGES = "images"  # by the piece, by tokens, or both
    SPEECH = "speech"  # characters, seconds or tokens
    TRANSCRIPT = "transcript"  # seconds or tokens
    VIDEO = "video"  # seconds
    RANKING = "ranking"  # searches, input tokens, or both

    __hash__ = object.__hash__  # as above


@unique
class FormUse(Enum):
    """Whether a request is a multipart form."""

    NEVER = "never"
    MAYBE = "maybe"  # a form or JSON
    ALWAYS = "always"


class OperationSpec(NamedTuple):
    """Everything there is to know of one operation."""

    shape: Shape
    title: str
    """The name its callers know it by."""
    product: Product
    paths: tuple[str, ...]
    """Where callers POST it; ``{model}`` where the path names the model. Empty: only upstreams are
    asked for it."""
    stand_ins: tuple[Operation, ...] = ()
    """What an upstream without it is asked for in its place, the best first."""
    translated: bool = False
    """Whether any upstream of a conversation shape can serve it through translation, and is itself
    asked for it."""
    hedged: bool = False
    """Whether two upstreams may be asked at once: nothing is kept or done by either."""
    form: FormUse = FormUse.NEVER
    form_text_bytes: int = 1_048_576
    """Most bytes of all text fields of its form together."""
    shared_path: str = ""
    """Where callers POST it as well as something else, which the body tells
    (``pipeline/surface.py``)."""


_GENERATE: Final = "/vendorc/v1beta/models/{model}"

# fmt: off
TABLE: Final[dict[Operation, OperationSpec]] = {
    Operation.CHAT: OperationSpec(
        Shape.CHAT, "chat completions", Product.TEXT, ("/v1/chat/completions",),
        translated=True, hedged=True),
    # never hedged: it may be stored, or run in the background
    Operation.RESPONSES: OperationSpec(
        Shape.RESPONSES, "responses", Product.TEXT, ("/v1/responses",), translated=True),
    Operation.RESPONSES_COUNT: OperationSpec(
        Shape.RESPONSES, "response token counts", Product.TOKEN_COUNT,
        ("/v1/responses/input_tokens",),
        stand_ins=(Operation.MESSAGES_COUNT, Operation.GENERATE_COUNT)),
    Operation.COMPLETIONS: OperationSpec(
        Shape.COMPLETIONS, "completions", Product.TEXT, ("/v1/completions",), hedged=True),
    Operation.EMBEDDINGS: OperationSpec(
        Shape.EMBEDDINGS, "embeddings", Product.VECTORS, ("/v1/embeddings",),
        stand_ins=(
            Operation.COHERE_EMBED, Operation.GENERATE_EMBED_BATCH, Operation.GENERATE_PREDICT,
            Operation.INVOKE_EMBED, Operation.GENERATE_EMBED,
        ), hedged=True),
    Operation.SPEECH: OperationSpec(
        Shape.AUDIO, "speech", Product.SPEECH, ("/v1/audio/speech",),
        stand_ins=(Operation.GENERATE,)),
    # samples of four speakers' voices come as text
    Operation.TRANSCRIPTIONS: OperationSpec(
        Shape.AUDIO, "transcriptions", Product.TRANSCRIPT, ("/v1/audio/transcriptions",),
        form=FormUse.ALWAYS, form_text_bytes=16_777_216),
    Operation.TRANSLATIONS: OperationSpec(
        Shape.AUDIO, "translations", Product.TRANSCRIPT, ("/v1/audio/translations",),
        form=FormUse.ALWAYS),
    Operation.MODERATIONS: OperationSpec(
        Shape.MODERATIONS, "moderations", Product.VERDICTS, ("/v1/moderations",)),
    Operation.RERANK: OperationSpec(
        Shape.RERANK, "reranks", Product.RANKING, ("/v1/rerank", "/v2/rerank"), hedged=True),
    Operation.IMAGES: OperationSpec(
        Shape.IMAGES, "image generations", Product.IMAGES, ("/v1/images/generations",)),
    Operation.IMAGES_EDIT: OperationSpec(
        Shape.IMAGES, "image edits", Product.IMAGES, ("/v1/images/edits",), form=FormUse.MAYBE),
    Operation.IMAGES_VARY: OperationSpec(
        Shape.IMAGES, "image variations", Product.IMAGES, ("/v1/images/variations",),
        form=FormUse.ALWAYS),
    Operation.MESSAGES: OperationSpec(
        Shape.MESSAGES, "messages", Product.TEXT, ("/v1/messages",), translated=True, hedged=True),
    Operation.MESSAGES_COUNT: OperationSpec(
        Shape.MESSAGES, "message token counts", Product.TOKEN_COUNT, ("/v1/messages/count_tokens",),
        stand_ins=(Operation.GENERATE_COUNT, Operation.RESPONSES_COUNT)),
    Operation.GENERATE: OperationSpec(
        Shape.GENERATE, "generateContent", Product.TEXT, (f"{_GENERATE}:generateContent",),
        translated=True, hedged=True),
    Operation.GENERATE_STREAM: OperationSpec(
        Shape.GENERATE, "streamGenerateContent", Product.TEXT,
        (f"{_GENERATE}:streamGenerateContent",), translated=True, hedged=True),
    Operation.GENERATE_COUNT: OperationSpec(
        Shape.GENERATE, "countTokens", Product.TOKEN_COUNT, (f"{_GENERATE}:countTokens",),
        stand_ins=(Operation.MESSAGES_COUNT, Operation.RESPONSES_COUNT)),
    Operation.GENERATE_EMBED: OperationSpec(
        Shape.GENERATE, "embedContent", Product.VECTORS, (f"{_GENERATE}:embedContent",),
        stand_ins=(
            Operation.COHERE_EMBED, Operation.EMBEDDINGS, Operation.GENERATE_PREDICT,
            Operation.INVOKE_EMBED,
        ),
        hedged=True),
    Operation.GENERATE_EMBED_BATCH: OperationSpec(
        Shape.GENERATE, "batchEmbedContents", Product.VECTORS,
        (f"{_GENERATE}:batchEmbedContents",),
        stand_ins=(
            Operation.COHERE_EMBED, Operation.EMBEDDINGS, Operation.GENERATE_PREDICT,
            Operation.INVOKE_EMBED, Operation.GENERATE_EMBED,
        ),
        hedged=True),
    Operation.GENERATE_PREDICT: OperationSpec(
        Shape.GENERATE, "predict", Product.VECTORS, (), hedged=True),
    Operation.VIDEOS: OperationSpec(
        Shape.VIDEOS, "videos", Product.VIDEO, ("/v1/videos",),
        stand_ins=(Operation.GENERATE_VIDEO,), form=FormUse.MAYBE),
    Operation.GENERATE_VIDEO: OperationSpec(
        Shape.GENERATE, "predictLongRunning", Product.VIDEO, ()),
    Operation.CONVERSE: OperationSpec(
        Shape.CONVERSE, "Converse", Product.TEXT, ("/model/{model}/converse",),
        translated=True, hedged=True),
    Operation.CONVERSE_STREAM: OperationSpec(
        Shape.CONVERSE, "ConverseStream", Product.TEXT, ("/model/{model}/converse-stream",),
        translated=True, hedged=True),
    Operation.CONVERSE_COUNT: OperationSpec(
        Shape.CONVERSE, "Converse token counts", Product.TOKEN_COUNT, (),
        stand_ins=(
            Operation.MESSAGES_COUNT, Operation.GENERATE_COUNT, Operation.RESPONSES_COUNT,
        ), shared_path="/model/{model}/count-tokens"),
    Operation.COHERE_CHAT: OperationSpec(
        Shape.COHERE, "Cohere chats", Product.TEXT, ("/v2/chat",), translated=True, hedged=True),
    Operation.COHERE_EMBED: OperationSpec(
        Shape.COHERE, "Cohere embeddings", Product.VECTORS, ("/v2/embed",),
        stand_ins=(
            Operation.INVOKE_EMBED, Operation.EMBEDDINGS, Operation.GENERATE_EMBED_BATCH,
            Operation.GENERATE_PREDICT, Operation.GENERATE_EMBED,
        ), hedged=True),
    Operation.INVOKE_EMBED: OperationSpec(
        Shape.CONVERSE, "InvokeModel of embeddings", Product.VECTORS, (),
        stand_ins=(
            Operation.COHERE_EMBED, Operation.EMBEDDINGS, Operation.GENERATE_EMBED_BATCH,
            Operation.GENERATE_PREDICT, Operation.GENERATE_EMBED,
        ), hedged=True, shared_path="/model/{model}/invoke"),
    # a conversation; the provider brings the codec
    Operation.VENDOR: OperationSpec(Shape.VENDOR, "its own shape", Product.TEXT, ()),
}
# fmt: on
"""A row an operation, in the order of the description (``/openapi.json``)."""


SHAPE: Final = {operation: TABLE[operation].shape for operation in Operation}
"""The shape each operation is written in."""

PUBLIC_SHAPES: Final = tuple(
    shape for shape in Shape if any(row.paths for row in TABLE.values() if row.shape is shape)
)
"""Shapes that callers speak."""

TITLES: Final = {operation: TABLE[operation].title for operation in Operation}
"""Operations by the names their callers know."""

PRODUCT: Final = {operation: TABLE[operation].product for operation in Operation}
"""What each makes."""


def _making(*products: Product) -> frozenset[Operation]:
    return frozenset(operation for operation, made in PRODUCT.items() if made in products)


CONVERSATION: Final = frozenset(
    {
        *(Shape.CHAT, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE),
        *(Shape.CONVERSE, Shape.COHERE),
    }
)
"""Shapes in which callers carry on a conversation."""

SPOKEN: Final = CONVERSATION | {Shape.VENDOR}
"""Shapes in which upstreams do, and that a binding's ``shape`` setting may name."""

TRANSLATABLE: Final = frozenset(operation for operation, row in TABLE.items() if row.translated)
"""Operations that any upstream of a conversation shape can serve through translation."""

TALKS: Final = frozenset(
    operation
    for operation, row in TABLE.items()
    if row.shape in SPOKEN and row.product is Product.TEXT
)
"""What such an upstream itself is asked for."""

SUBSTITUTES: Final = {operation: row.stand_ins for operation, row in TABLE.items() if row.stand_ins}
"""What an upstream without an operation is asked for in its place, the best first."""

HEDGED: Final = frozenset(operation for operation, row in TABLE.items() if row.hedged)
"""Operations of which a second attempt may run beside a slow first."""

UPSTREAM_ONLY: Final = frozenset(
    operation for operation, row in TABLE.items() if not (row.paths or row.shared_path)
)
"""Operations that no caller can ask for."""

ASYNC_JOBS: Final = _making(Product.VIDEO)
"""Work that outlives its request: jobs are made of it, and it has no passage."""

TOKEN_COUNTS: Final = _making(Product.TOKEN_COUNT)
"""Counts of tokens: free of charge, and answered by an estimate where no upstream counts."""

GENERATES_TEXT: Final = _making(Product.TEXT)
"""Operations whose answer is written token by token."""

INPUT_ONLY: Final = _making(Product.VECTORS, Product.VERDICTS, Product.RANKING)
"""Operations without output tokens."""

EMBEDDING_OPERATIONS: Final = _making(Product.VECTORS)
"""Texts into vectors."""

IMAGE_OPERATIONS: Final = _making(Product.IMAGES)
"""Pictures out of words and other pictures."""

AUDIO_OPERATIONS: Final = _making(Product.SPEECH, Product.TRANSCRIPT)
"""Operations whose request or answer is a file: they have lanes of their own
(``pipeline/media.py``)."""

FORM_ONLY: Final = frozenset(op for op, row in TABLE.items() if row.form is FormUse.ALWAYS)
"""Operations whose request is a form and nothing else: it has a file."""

FORM_OR_JSON: Final = frozenset(op for op, row in TABLE.items() if row.form is FormUse.MAYBE)
"""Operations whose request is a form where it has a file, else JSON."""

STREAMED_AS: Final = {
    Operation.GENERATE: Operation.GENERATE_STREAM,
    Operation.CONVERSE: Operation.CONVERSE_STREAM,
}
"""Operations that are asked for a stream by another address, and what they are there."""

STREAMS_BY_PATH: Final = frozenset(STREAMED_AS.values())
"""Operations that always answer in a stream."""

NAMED_BY_PATH: Final = frozenset(
    row.shape for row in TABLE.values() if any("{model}" in path for path in row.paths)
)
"""Shapes whose address names the model, and says whether the answer is streamed."""

BINARY_STREAMS: Final = frozenset({Shape.CONVERSE})
"""Shapes that are streamed in binary frames (``wire/event_stream.py``), not in server-sent events.
"""
EVENT_STREAM: Final = "application/vnd.amazon.eventstream"
"""The media type of such frames."""

EXPLAINED: Final = tuple(
    sorted(
        (
            operation
            for operation, row in TABLE.items()
            if row.paths
            and row.product is not Product.TOKEN_COUNT
            and (row.shape not in NAMED_BY_PATH or operation in STREAMED_AS)
        ),
        key=lambda one: (one not in TRANSLATABLE, list(Shape).index(TABLE[one].shape)),
    )
)
"""What ``POST /api/explain`` can be asked about, conversations first. Of generate-content and
Converse that is one name each: their clients know the others by an address alone."""


def served(native: frozenset[Operation]) -> frozenset[Operation]:
    """What callers can ask of upstreams that have these operations themselves."""
    found = native | {
        asked for asked, others in SUBSTITUTES.items() if not native.isdisjoint(others)
    }
    if native & TALKS:
        found |= TRANSLATABLE | TOKEN_COUNTS | {Operation.COMPLETIONS}
    return found - {Operation.VENDOR}
