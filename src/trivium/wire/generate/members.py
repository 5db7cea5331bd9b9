"""The members of a request by message, as ``protojson`` reads them.

Source: the vendor's reference of ``GenerateContentRequest``, read on 2026-11-21.
"""

from typing import Final

from trivium.wire.generate.protojson import (
    Schema,
    blob,
    flag,
    integer,
    later,
    message,
    number,
    raw,
    raw_object,
    repeated,
    several,
    string,
    strings,
    word,
)

_BLOB: Final[Schema] = {"mimeType": string, "data": blob, "displayName": string}
_FILE: Final[Schema] = {"mimeType": string, "fileUri": string, "displayName": string}
_MEDIA: Final[Schema] = {"inlineData": message(_BLOB), "fileData": message(_FILE)}
_CALL: Final[Schema] = {"id": string, "name": string, "args": raw_object}
_RESPONSE: Final[Schema] = {
    "id": string,
    "name": string,
    "response": raw_object,
    "parts": several(message(_MEDIA)),
}
PART: Final[Schema] = {
    **_MEDIA,
    "text": string,
    "functionCall": message(_CALL),
    "functionResponse": message(_RESPONSE),
    "thought": flag,
    "thoughtSignature": string,
    "videoMetadata": raw_object,
    "mediaResolution": message({"level": word}),
    "mediaProcessing": raw,
    "partMetadata": raw,
    "speechMetadata": raw,
    "documentMetadata": raw,
    "audioMetadata": raw,
}
"""``Part``; members beyond these are the vendor's own blocks."""

CONTENT: Final[Schema] = {"role": string, "parts": raw}
"""``Content``; its parts are read one by one."""

FUNCTION: Final[Schema] = {
    "name": string,
    "description": string,
    "parameters": raw_object,
    "parametersJsonSchema": raw,
    "response": raw_object,
    "responseJsonSchema": raw,
    "behavior": raw,
}
"""``FunctionDeclaration``."""

TOOL_CONFIG: Final[Schema] = {
    "functionCallingConfig": message({"mode": word, "allowedFunctionNames": repeated(string)})
}

CONFIG: Final[Schema] = {
    "temperature": number,
    "topP": number,
    "topK": integer,
    "candidateCount": integer,
    "maxOutputTokens": integer,
    "stopSequences": repeated(string),
    "seed": integer,
    "presencePenalty": number,
    "frequencyPenalty": number,
    "responseLogprobs": flag,
    "logprobs": integer,
    "responseMimeType": string,
    "responseSchema": raw_object,
    "responseJsonSchema": raw,
    "responseModalities": repeated(word),
    "speechConfig": raw_object,
    "thinkingConfig": message(
        {"includeThoughts": flag, "thinkingBudget": integer, "thinkingLevel": word}
    ),
}
"""``GenerationConfig``, as far as another shape has it."""

REQUEST: Final[Schema] = {
    "model": string,
    "contents": later,
    "systemInstruction": later,
    "tools": several(raw_object),
    "toolConfig": message(TOOL_CONFIG),
    "generationConfig": message(CONFIG),
    "labels": strings,
    "serviceTier": word,
    "store": flag,
}
"""``GenerateContentRequest``, as far as another shape has it."""
