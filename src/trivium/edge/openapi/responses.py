"""The responses shape: its operations, and schemas of request, answer, stream events.

Source: OpenAI's API reference and openai-python 3.52.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi import chat
from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Conversations in the responses shape."

OPERATIONS: Final = operations("""
responses
POST /v1/responses createResponse "Answers a list of items." request=CreateResponseRequest
  answer=ResponseObject event=ResponseStreamEvent
POST /v1/responses/input_tokens countResponseInputTokens "Counts the input tokens of a list of
  items." request=CountResponseInputTokensRequest answer=ResponseInputTokens
GET /v1/responses/{response_id} getResponse "Reads a stored response." answer=ResponseObject
  parameters=response_id
DELETE /v1/responses/{response_id} deleteResponse "Deletes a stored response."
  answer=DeletedResponse parameters=response_id
POST /v1/responses/{response_id}/cancel cancelResponse "Cancels a response that runs in the
  background; none does here yet." answer=ResponseObject parameters=response_id
GET /v1/responses/{response_id}/input_items listInputItems "Lists what a stored response was given
  as input, its history included." answer=ResponseItemList parameters=response_id|limit|order|after
""")

SCHEMAS: Final = schemas(
    """
parts = ({type!: 'input_text', text!: text}
  | {
    type!: 'input_image', image_url: text | null "An http(s) or data URL.",
    file_id: text | null, detail: 'low' | 'high' | 'auto' | 'original'
  }
  | {type!: 'input_file', file_data: text, file_id: text | null, file_url: text, filename: text}
  | {type!: 'output_text', text!: text} | {type!: 'refusal', refusal!: text})[]
item = {
  type: 'message' "May be left out.", role!: 'user' | 'assistant' | 'system' | 'developer',
  content!: text | parts
}
  | {
    type!: 'function_call', call_id!: text, name!: text,
    arguments!: text "JSON, as the model wrote it."
  } | {type!: 'function_call_output', call_id!: text, output!: text | object[]}
  | {
    type!: 'reasoning', id: text, summary!: object[],
    encrypted_content: text | null "Opaque; send it back unchanged."
  } | ({type!: text} "Any other item, as the vendor has it.")
tool = {
  type!: 'function', name!: text(maxLength 128), description: text | null,
  parameters: FunctionParameters | null, strict: bool | null
} | {type!: 'custom', name!: text(maxLength 128), description: text, format: object}
  | ({type!: text} "A tool that the vendor runs.")
choice = 'none' | 'auto' | 'required'
  | {type!: 'allowed_tools', mode!: 'auto' | 'required', tools!: object[]}
  | ({type!: text, name: text} "Forces this tool.")
format = {
  format: {type!: 'text' | 'json_object'}
    | {
      type!: 'json_schema', name!: name, description: text, schema!: object,
      strict: bool | null
    },
  verbosity: 'low' | 'medium' | 'high' | null
}
usage = {
  input_tokens!: int "Cached tokens included.", input_tokens_details: {cached_tokens: int},
  output_tokens!: int "Reasoning tokens included.",
  output_tokens_details: {reasoning_tokens: int}, total_tokens!: int
}
CreateResponseRequest = {
  model!: text "A model of this gateway: see `/v1/models`.", input: text | item[],
  instructions: text | null, background: bool | null "Must be false: use `stream`.",
  conversation: text | object | null,
  previous_response_id: text | null "Excludes `conversation`.", include: text[] | null,
  max_output_tokens: int 1.. | null "Reasoning tokens included.", max_tool_calls: int | null,
  metadata: Metadata | null, parallel_tool_calls: bool | null, prompt: object | null,
  prompt_cache_key: text | null,
  reasoning: {effort: efforts | null, summary: 'auto' | 'concise' | 'detailed' | null} | null,
  safety_identifier: text(maxLength 128) | null,
  service_tier: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast' | 'ultrafast'
    | null,
  store: bool | null "Whether later requests may refer to it; true if absent.",
  stream: bool | null "Answer with server-sent events.",
  stream_options: {include_obfuscation: bool} | null, temperature: num 0..2 | null,
  text: format, tool_choice: choice, tools: tool[], top_logprobs: int 0..20 | null,
  top_p: num 0..1 | null, truncation: 'auto' | 'disabled' | null,
  user: text "End-user identifier for abuse monitoring."
} "Needs `input`, unless `prompt`, `previous_response_id` or `conversation` supplies it."
ResponseObject = {
  id!: text, object!: 'response', created_at!: num "Seconds since the epoch.", model!: text,
  status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'incomplete',
  error: {code!: text, message!: text} | null, incomplete_details: {reason: text} | null,
  output!: (object "`message`, `function_call`, `custom_tool_call`, `reasoning` …")[],
  usage: usage | null
}
DeletedResponse = {id!: text, object!: 'response', deleted!: bool}
ResponseItemList = {
  object!: 'list', data!: (object "Items as in `input`, each with an `id`.")[],
  first_id: text | null, last_id: text | null, has_more!: bool
}
CountResponseInputTokensRequest = {
  model!: text "A model of this gateway: see `/v1/models`.", input: text | object[],
  instructions: text | null, tools: tool[], tool_choice: choice, text: format, reasoning: object
} "A responses request, of which only what the model reads is looked at."
ResponseInputTokens = {object!: 'response.input_tokens', input_tokens!: int 0..}
ResponseStreamEvent = {
  type!: text "Equal to the `event:` line, e.g. `response.output_text.delta`.",
  sequence_number!: int 0.. "From 0, one more in each event.", response: ResponseObject,
  output_index: int 0.., content_index: int 0.., item_id: text, delta: text
} "One event. The last is `response.completed`, `response.incomplete` or `response.failed`."
""",
    chat.SCHEMAS,
)
