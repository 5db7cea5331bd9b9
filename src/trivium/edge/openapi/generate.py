"""The generate-content shape: its operations, and schemas of request, answer, counting, embeddings.

Member names are shown in camelCase; snake_case is accepted as well, as the protocol has it.
Source: Google's Gemini API reference and google-genai 3.4.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    free,
    integer,
    mapping,
    number,
    one_of,
    record,
    ref,
    text,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Conversations and vectors in the generate-content shape."

OPERATIONS: Final = (
    relayed(
        Operation.GENERATE,
        name="generateContent",
        about="Answers a conversation.",
        request="GenerateContentRequest",
        answer="GenerateContentResponse",
        parameters=("model",),
    ),
    relayed(
        Operation.GENERATE_STREAM,
        name="streamGenerateContent",
        about="Answers a conversation piece by piece: events with `alt=sse`, else one JSON array.",
        request="GenerateContentRequest",
        answer="GenerateContentResponse",
        event="GenerateContentResponse",
        stream_only=True,
        parameters=("model", "alt"),
    ),
    relayed(
        Operation.GENERATE_COUNT,
        name="countTokens",
        about="Counts the tokens of a conversation.",
        request="CountTokensRequest",
        answer="CountTokensResponse",
        parameters=("model",),
    ),
    relayed(
        Operation.GENERATE_EMBED,
        name="embedContent",
        about="Turns a text into a vector.",
        request="EmbedContentRequest",
        answer="EmbedContentResponse",
        parameters=("model",),
    ),
    relayed(
        Operation.GENERATE_EMBED_BATCH,
        name="batchEmbedContents",
        about="Turns texts into vectors.",
        request="BatchEmbedContentsRequest",
        answer="BatchEmbedContentsResponse",
        parameters=("model",),
    ),
)

_PART: Final = record(
    {
        "text": text(),
        "inlineData": record(
            {"mimeType": text(), "data": text("Base64, either alphabet.")}, ("mimeType", "data")
        ),
        "fileData": record({"mimeType": text(), "fileUri": text()}, ("fileUri",)),
        "functionCall": record({"id": text(), "name": text(), "args": free()}, ("name",)),
        "functionResponse": record(
            {"id": text(), "name": text(), "response": free()}, ("name", "response")
        ),
        "thought": boolean(),
        "thoughtSignature": text("Opaque; send it back on the same part."),
    },
    about="Exactly one kind of data, and what modifies it.",
)

_COUNT: Final = integer(low=0)

_TASKS: Final = (
    "RETRIEVAL_QUERY",
    "RETRIEVAL_DOCUMENT",
    "SEMANTIC_SIMILARITY",
    "CLASSIFICATION",
    "CLUSTERING",
    "QUESTION_ANSWERING",
    "FACT_VERIFICATION",
    "CODE_RETRIEVAL_QUERY",
)

_CONFIG: Final = record(
    {
        "temperature": number(low=0, high=2),
        "topP": number(low=0, high=1),
        "topK": number(low=0),
        "candidateCount": integer(low=1, high=8),
        "maxOutputTokens": integer("Thinking included.", low=1),
        "stopSequences": array(text(), high=5),
        "seed": integer(),
        "presencePenalty": number(low=-2, high=2),
        "frequencyPenalty": number(low=-2, high=2),
        "responseLogprobs": boolean(),
        "logprobs": integer(low=0, high=20),
        "responseMimeType": text(),
        "responseSchema": free("Excludes `responseJsonSchema`."),
        "responseJsonSchema": free("Needs `responseMimeType`."),
        "responseModalities": array(one_of("TEXT", "IMAGE", "AUDIO", "VIDEO")),
        "thinkingConfig": record(
            {
                "includeThoughts": boolean(),
                "thinkingBudget": integer("0: off; -1: automatic.", low=-1),
                "thinkingLevel": one_of("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"),
            }
        ),
        "speechConfig": free(),
        "imageConfig": free(),
    }
)

_TOOL: Final = record(
    {
        "functionDeclarations": array(
            record(
                {
                    "name": text(pattern="^[A-Za-z_][A-Za-z0-9_.:-]*$", maxLength=128),
                    "description": text(),
                    "parameters": free("Excludes `parametersJsonSchema`."),
                    "parametersJsonSchema": free(),
                },
                ("name",),
            )
        ),
        "googleSearch": free(),
        "codeExecution": free(),
        "urlContext": free(),
    }
)

SCHEMAS: Final[dict[str, Schema]] = {
    "Content": record(
        {
            "role": one_of("user", "model", "function", about="Left out: `user`."),
            "parts": array(_PART),
        }
    ),
    "GenerateContentRequest": record(
        {
            "contents": array(ref("Content"), low=1),
            "systemInstruction": either(ref("Content"), text()),
            "tools": array(_TOOL),
            "toolConfig": record(
                {
                    "functionCallingConfig": record(
                        {
                            "mode": one_of("AUTO", "ANY", "NONE", "VALIDATED"),
                            "allowedFunctionNames": array(text()),
                        }
                    )
                }
            ),
            "safetySettings": array(
                record({"category": text(), "threshold": text()}, ("category", "threshold"))
            ),
            "generationConfig": _CONFIG,
            "cachedContent": text(),
            "labels": mapping(text()),
            "serviceTier": one_of("flex", "standard", "priority", "unspecified"),
        },
        ("contents",),
    ),
    "GenerateContentResponse": record(
        {
            "candidates": array(
                record(
                    {
                        "content": ref("Content"),
                        "finishReason": text("`STOP`, `MAX_TOKENS`, `SAFETY` …"),
                        "finishMessage": text(),
                        "index": _COUNT,
                        "safetyRatings": array(free()),
                        "groundingMetadata": free(),
                        "citationMetadata": free(),
                    }
                )
            ),
            "promptFeedback": record({"blockReason": text(), "safetyRatings": array(free())}),
            "usageMetadata": ref("UsageMetadata"),
            "modelVersion": text(),
            "responseId": text(),
        },
        about="A whole answer, or one piece of a streamed one.",
    ),
    "UsageMetadata": record(
        {
            "promptTokenCount": integer("Cached tokens included.", low=0),
            "cachedContentTokenCount": _COUNT,
            "toolUsePromptTokenCount": integer("Not in `promptTokenCount`.", low=0),
            "candidatesTokenCount": integer("Thoughts not included.", low=0),
            "thoughtsTokenCount": _COUNT,
            "totalTokenCount": _COUNT,
        }
    ),
    "CountTokensRequest": record(
        {
            "contents": array(ref("Content")),
            "generateContentRequest": free("Instead of `contents`: a whole request."),
        }
    ),
    "CountTokensResponse": record(
        {"totalTokens": _COUNT, "cachedContentTokenCount": _COUNT}, ("totalTokens",)
    ),
    "EmbedContentRequest": record(
        {
            "content": ref("Content"),
            "model": text("If given, `models/` and the model of the path."),
            "taskType": one_of(*_TASKS),
            "title": text(),
            "outputDimensionality": integer(low=1),
        },
        ("content",),
    ),
    "ContentEmbedding": record({"values": array(number())}, ("values",)),
    "EmbedContentResponse": record({"embedding": ref("ContentEmbedding")}, ("embedding",)),
    "BatchEmbedContentsRequest": record(
        {"requests": array(ref("EmbedContentRequest"), low=1)}, ("requests",)
    ),
    "BatchEmbedContentsResponse": record(
        {
            "embeddings": array(ref("ContentEmbedding"), "In the order of the requests."),
            "usageMetadata": ref("UsageMetadata"),
        },
        ("embeddings",),
    ),
}
