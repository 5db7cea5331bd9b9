"""Components that belong to no shape: the error body, metadata, tool structures, model lists.

Source: the service's interface specification 3.5.0 for the tool structures; the error body is
decided in docs/decisions/0004-gateway-error.md.
"""

from typing import Final

from trivium.edge.openapi.schema import constant, schemas
from trivium.wire.operation import EXPLAINED

_KNOWN: Final = {"explained": constant(*(operation.value for operation in EXPLAINED))}

SCHEMAS: Final = schemas(
    """
GatewayError = {
  error!: {
    type!: 'invalid_request_error' | 'authentication_error' | 'permission_error'
      | 'not_found_error' | 'request_too_large' | 'rate_limit_error' | 'api_error'
      | 'overloaded_error' | 'timeout_error' "The kind of failure.",
    message!: text "Readable alone. Says what is wrong and what would be right.",
    param!: text | null "Path of the offending request member, e.g. `messages[2].content`.",
    code!: text | int | null "A symbolic name, e.g. `model_not_found`; the HTTP status on the
      generate-content operations, where `details[].reason` has the name.",
    status!: text "Google's canonical name, e.g. `NOT_FOUND`.",
    details: object[] | {error_code: text} "A list on the generate-content operations; on the
      messages operations an object, where a symbolic name stands in it for SDKs."
  },
  type!: 'error', request_id!: text "The same as the `x-request-id` and `request-id` headers."
} "Every failure of every operation. `error` is always printed first."
Metadata = {*: text(maxLength 512)} "At most 16 pairs; names of at most 64 characters."
FunctionParameters = object "A JSON Schema of the arguments. Left out: no arguments."
ChatCompletionAllowedTools = {
  mode!: 'auto' | 'required' "`auto`: the model picks among these tools or answers with a
    message; `required`: it must call one or more of them.",
  tools!: object[] "Tool definitions, as in `tools`."
}
ChatCompletionAllowedToolsChoice = {
  type!: 'allowed_tools', allowed_tools!: ChatCompletionAllowedTools
}
ChatCompletionFunctionCallOption = {
  name!: text "Naming a function forces the model to call it."
}
ChatCompletionFunctions = {
  name!: text(pattern '^[A-Za-z0-9_-]{1,64}$', maxLength 64)
    "Letters, digits, underscores and dashes.",
  description: text "When and how the model should call it.", parameters: FunctionParameters
} deprecated "The older form of a function tool."
FunctionObject = {
  name!: text(pattern '^[A-Za-z0-9_-]{1,64}$', maxLength 64)
    "Letters, digits, underscores and dashes.",
  description: text "When and how the model should call it.", parameters: FunctionParameters,
  strict: bool | null
}
ChatCompletionMessageToolCall = {
  id!: text, type!: 'function',
  function!: {name!: text, arguments!: text "JSON, as the model wrote it."}
}
ChatCompletionMessageCustomToolCall = {
  id!: text, type!: 'custom', custom!: {name!: text, input!: text}
}
Model = {
  id!: text "The name to ask for.", object!: 'model',
  created!: int "Seconds since the epoch; 0 when unknown.", owned_by!: text,
  name: text "For people."
}
ModelList = {object!: 'list', data!: Model[]}
MessagesModel = {
  type!: 'model', id!: text "The name to ask for.", display_name!: text "For people.",
  created_at!: text(format 'date-time'), lifecycle!: text, max_input_tokens: int | null,
  max_tokens: int | null, capabilities: object | null
}
MessagesModelList = {
  data!: MessagesModel[], first_id!: text | null, last_id!: text | null, has_more!: bool
}
GenerateModel = {
  name!: text "`models/` and the name to ask for.", displayName!: text "For people.",
  supportedGenerationMethods!: text[], inputTokenLimit: int, outputTokenLimit: int
}
GenerateModelList = {models!: GenerateModel[], nextPageToken: text "Absent on the last page."}
ExplainRequest = {
  shape: explained "Whose request it is; `chat` when left out.",
  body!: object "The request as it would be posted; a form as an object of its fields, a file in
    it as `filename`, `content_type`, `size` and `seconds`.",
  model: text "Instead of the body's own; required with `generate`.",
  stream: bool "With `generate`: whether it streams.",
  strict: bool "As the header `trivium-strict: true`."
}
Explanation = {
  model!: text, operation!: text, stream!: bool, strict!: bool,
  steps!: (object "A channel that would be tried: why, path, body, losses.")[],
  skipped!: (object "A channel that was passed over, and why.")[],
  fallbacks!: (object "A model that may answer in its place: `model`, and its own plan as
    here.")[],
  price!: object | null "The most it can cost: `nanos`, and `usd` as a decimal.",
  refused!: object | null "What the caller would be told: `status`, `code`, `message`, `param`."
}
Health = {status!: 'ok'}
Readiness = {
  status!: 'ok' | 'degraded' | 'unavailable',
  parts!: {*: bool} "What requests use, and whether it is there."
}
""",
    _KNOWN,
)
