"""Every operation served now, one row each: the part of the description that routes must match."""

from typing import Final

import msgspec

Body = str | tuple[str, ...]
"""A component's name, or several of which the answer is one."""

BEARER: Final = ("gatewayBearer",)
MESSAGES: Final = ("gatewayMessagesKey", "gatewayBearer")
GENERATE: Final = ("gatewayGenerateKey", "gatewayGenerateQuery")
ANY: Final = (*BEARER, "gatewayMessagesKey", *GENERATE)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One operation."""

    method: str
    path: str
    name: str
    """``operationId``."""
    tag: str
    about: str
    request: str | None = None
    """Component of the JSON body."""
    form: str | None = None
    """Component of the multipart form that is taken, beside or instead of a JSON body."""
    answer: Body | None = None
    """Component of the 200 answer in JSON; ``None``: there is none."""
    files: tuple[str, ...] = ()
    """Content types of answers that are not JSON."""
    event: str | None = None
    """Component of one event of the streamed answer; ``None``: it never streams."""
    stream_only: bool = False
    """Whether every answer is a stream: of events, or of one JSON array."""
    keys: tuple[str, ...] = ()
    """Ways to present a key, any one of which does; empty: none is asked for."""
    parameters: tuple[str, ...] = ()
    """Components of parameters."""


_STORED: Final = "/v1/responses/{response_id}"
_VIDEO: Final = "/v1/videos/{video_id}"
_GENERATE: Final = "/vendorc/v1beta/models/{model}"

OPERATIONS: Final = (
    Row(
        method="POST",
        path="/v1/chat/completions",
        name="createChatCompletion",
        tag="chat",
        about="Answers a conversation.",
        request="CreateChatCompletionRequest",
        answer="CreateChatCompletionResponse",
        event="CreateChatCompletionStreamResponse",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/responses",
        name="createResponse",
        tag="responses",
        about="Answers a list of items.",
        request="CreateResponseRequest",
        answer="Response",
        event="ResponseStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/responses/input_tokens",
        name="countResponseInputTokens",
        tag="responses",
        about="Counts the input tokens of a list of items.",
        request="CountResponseInputTokensRequest",
        answer="ResponseInputTokens",
        keys=BEARER,
    ),
    Row(
        method="GET",
        path=_STORED,
        name="getResponse",
        tag="responses",
        about="Reads a stored response.",
        answer="Response",
        keys=BEARER,
        parameters=("response_id",),
    ),
    Row(
        method="DELETE",
        path=_STORED,
        name="deleteResponse",
        tag="responses",
        about="Deletes a stored response.",
        answer="DeletedResponse",
        keys=BEARER,
        parameters=("response_id",),
    ),
    Row(
        method="POST",
        path=f"{_STORED}/cancel",
        name="cancelResponse",
        tag="responses",
        about="Cancels a response that runs in the background; none does here yet.",
        answer="Response",
        keys=BEARER,
        parameters=("response_id",),
    ),
    Row(
        method="GET",
        path=f"{_STORED}/input_items",
        name="listInputItems",
        tag="responses",
        about="Lists what a stored response was given as input, its history included.",
        answer="ResponseItemList",
        keys=BEARER,
        parameters=("response_id", "limit", "order", "after"),
    ),
    Row(
        method="POST",
        path="/v1/completions",
        name="createCompletion",
        tag="completions",
        about="Continues a text.",
        request="CreateCompletionRequest",
        answer="CreateCompletionResponse",
        event="CreateCompletionResponse",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/embeddings",
        name="createEmbedding",
        tag="embeddings",
        about="Turns texts into vectors.",
        request="CreateEmbeddingRequest",
        answer="CreateEmbeddingResponse",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/audio/speech",
        name="createSpeech",
        tag="audio",
        about="Speaks a text.",
        request="CreateSpeechRequest",
        files=("application/octet-stream",),
        event="CreateSpeechResponseStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/audio/transcriptions",
        name="createTranscription",
        tag="audio",
        about="Writes down what is said in a recording.",
        form="CreateTranscriptionRequest",
        answer=(
            "CreateTranscriptionResponseJson",
            "CreateTranscriptionResponseVerboseJson",
            "CreateTranscriptionResponseDiarizedJson",
        ),
        files=("text/plain",),
        event="CreateTranscriptionResponseStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/audio/translations",
        name="createTranslation",
        tag="audio",
        about="Writes down in English what is said in a recording.",
        form="CreateTranslationRequest",
        answer=("CreateTranslationResponseJson", "CreateTranscriptionResponseVerboseJson"),
        files=("text/plain",),
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/moderations",
        name="createModeration",
        tag="moderations",
        about="Classifies text and images as potentially harmful.",
        request="CreateModerationRequest",
        answer="CreateModerationResponse",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/images/generations",
        name="createImage",
        tag="images",
        about="Draws pictures.",
        request="CreateImageRequest",
        answer="ImagesResponse",
        event="ImageStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/messages",
        name="messages_post",
        tag="messages",
        about="Answers a conversation.",
        request="CreateMessageParams",
        answer="Message",
        event="MessageStreamEvent",
        keys=MESSAGES,
        parameters=("vendorVersion", "vendorUserProfileId"),
    ),
    Row(
        method="POST",
        path="/v1/messages/count_tokens",
        name="messages_count_tokens_post",
        tag="messages",
        about="Counts the tokens of a conversation.",
        request="CountMessageTokensParams",
        answer="MessageTokensCount",
        keys=MESSAGES,
        parameters=("vendorVersion", "vendorUserProfileId"),
    ),
    Row(
        method="POST",
        path=f"{_GENERATE}:generateContent",
        name="generateContent",
        tag="generate",
        about="Answers a conversation.",
        request="GenerateContentRequest",
        answer="GenerateContentResponse",
        keys=GENERATE,
        parameters=("model",),
    ),
    Row(
        method="POST",
        path=f"{_GENERATE}:streamGenerateContent",
        name="streamGenerateContent",
        tag="generate",
        about="Answers a conversation piece by piece: events with `alt=sse`, else one JSON array.",
        request="GenerateContentRequest",
        answer="GenerateContentResponse",
        event="GenerateContentResponse",
        stream_only=True,
        keys=GENERATE,
        parameters=("model", "alt"),
    ),
    Row(
        method="POST",
        path=f"{_GENERATE}:countTokens",
        name="countTokens",
        tag="generate",
        about="Counts the tokens of a conversation.",
        request="CountTokensRequest",
        answer="CountTokensResponse",
        keys=GENERATE,
        parameters=("model",),
    ),
    Row(
        method="POST",
        path=f"{_GENERATE}:embedContent",
        name="embedContent",
        tag="generate",
        about="Turns a text into a vector.",
        request="EmbedContentRequest",
        answer="EmbedContentResponse",
        keys=GENERATE,
        parameters=("model",),
    ),
    Row(
        method="POST",
        path=f"{_GENERATE}:batchEmbedContents",
        name="batchEmbedContents",
        tag="generate",
        about="Turns texts into vectors.",
        request="BatchEmbedContentsRequest",
        answer="BatchEmbedContentsResponse",
        keys=GENERATE,
        parameters=("model",),
    ),
    Row(
        method="POST",
        path="/v1/videos",
        name="createVideo",
        tag="videos",
        about="Begins a video; it is made while nobody waits.",
        request="CreateVideoRequest",
        form="CreateVideoForm",
        answer="Video",
        keys=BEARER,
    ),
    Row(
        method="GET",
        path="/v1/videos",
        name="listVideos",
        tag="videos",
        about="Lists the caller's videos, newest first.",
        answer="VideoList",
        keys=BEARER,
        parameters=("limit", "order", "after"),
    ),
    Row(
        method="GET",
        path=_VIDEO,
        name="GetVideo",
        tag="videos",
        about="Says how a video stands.",
        answer="Video",
        keys=BEARER,
        parameters=("video_id",),
    ),
    Row(
        method="DELETE",
        path=_VIDEO,
        name="DeleteVideo",
        tag="videos",
        about="Permanently deletes a completed or failed video and its stored files.",
        answer="DeletedVideo",
        keys=BEARER,
        parameters=("video_id",),
    ),
    Row(
        method="GET",
        path=f"{_VIDEO}/content",
        name="RetrieveVideoContent",
        tag="videos",
        about="Sends a file of a completed video; takes a range.",
        files=("video/mp4", "image/webp"),
        keys=BEARER,
        parameters=("video_id", "variant"),
    ),
    Row(
        method="POST",
        path=f"{_VIDEO}/remix",
        name="CreateVideoRemix",
        tag="videos",
        about="Begins another version of a completed video.",
        request="RemixVideoRequest",
        form="RemixVideoRequest",
        answer="Video",
        keys=BEARER,
        parameters=("video_id",),
    ),
    Row(
        method="GET",
        path="/v1/models",
        name="listModels",
        tag="models",
        about="Models this key may ask for, as the caller's client family reads them: the way the "
        "key is presented and a version header decide.",
        answer=("ModelList", "MessagesModelList", "GenerateModelList"),
        keys=ANY,
    ),
    Row(
        method="GET",
        path="/v1/models/{model}",
        name="retrieveModel",
        tag="models",
        about="One model, as the caller's client family reads it.",
        answer=("Model", "MessagesModel", "GenerateModel"),
        keys=ANY,
        parameters=("model",),
    ),
    Row(
        method="GET",
        path="/vendorc/v1beta/models",
        name="listGenerateModels",
        tag="models",
        about="Models this key may ask for.",
        answer="GenerateModelList",
        keys=GENERATE,
        parameters=("pageSize", "pageToken"),
    ),
    Row(
        method="GET",
        path=_GENERATE,
        name="retrieveGenerateModel",
        tag="models",
        about="One model.",
        answer="GenerateModel",
        keys=GENERATE,
        parameters=("model",),
    ),
    Row(
        method="POST",
        path="/api/explain",
        name="explainRequest",
        tag="gateway",
        about="What would become of a request: channels, bodies, what would be lost. Nobody is "
        "called and nothing is charged.",
        request="ExplainRequest",
        answer="Explanation",
        keys=ANY,
    ),
    Row(
        method="GET",
        path="/healthz",
        name="getHealth",
        tag="gateway",
        about="Whether the process runs.",
        answer="Health",
    ),
    Row(
        method="GET",
        path="/readyz",
        name="getReadiness",
        tag="gateway",
        about="Whether requests can be served; 503 names what is missing.",
        answer="Readiness",
    ),
    Row(
        method="GET",
        path="/openapi.json",
        name="getDescription",
        tag="gateway",
        about="This description.",
        answer="Description",
    ),
)
