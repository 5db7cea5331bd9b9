"""Cohere's shape: its operations, and schemas of request, answer, stream events and embeddings.

Source: cohere-python 7.3.1, ``V2Client``, read 2026-11-28.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Conversations and embeddings in Cohere's shape, version 2."

OPERATIONS: Final = operations("""
cohere
POST /v2/chat cohereChat "Answers a conversation." request=CohereChatRequest
  answer=CohereChatResponse event=CohereChatEvent
POST /v2/embed cohereEmbed "Turns texts into vectors." request=CohereEmbedRequest
  answer=CohereEmbedResponse
""")

SCHEMAS: Final = schemas("""
called = {id!: text, type!: 'function', function!: {name!: text, arguments!: text "JSON."}}
document = text | {data!: object "Members that the model is shown.", id: text "Named in citations."}
citation = {
  start: int 0.., end: int 0.., text: text, sources: object[], content_index: int 0..,
  type: 'TEXT_CONTENT' | 'THINKING_CONTENT' | 'PLAN'
}
usage = {
  billed_units: {input_tokens: num, output_tokens: num},
  tokens: {input_tokens: num, output_tokens: num}, cached_tokens: num
}
CohereChatRequest = {
  model!: text "A model of this gateway: see `/v1/models`.",
  messages!: {
    role!: 'system' | 'user' | 'assistant' | 'tool',
    content: text | (object "`text`, `image_url`, `thinking` or `document`.")[],
    tool_calls: called[], tool_plan: text "What is said before the calls.",
    citations: citation[], tool_call_id: text
  }[1..],
  stream: bool "Answer with server-sent events.",
  tools: {
    type!: 'function', function!: {name!: text, description: text, parameters: object}
  }[],
  strict_tools: bool, tool_choice: 'REQUIRED' | 'NONE' "Left out: the model decides.",
  documents: document[], citation_options: {
    mode: 'ENABLED' | 'DISABLED' | 'FAST' | 'ACCURATE' | 'OFF'
  },
  response_format: {type!: 'text' | 'json_object', json_schema: object},
  safety_mode: 'CONTEXTUAL' | 'STRICT' | 'OFF', max_tokens: int 1.., stop_sequences: text[..5],
  temperature: num, seed: int, frequency_penalty: num 0..1, presence_penalty: num 0..1,
  k: int 0..500, p: num 0..1, logprobs: bool,
  thinking: {type!: 'enabled' | 'disabled', token_budget: int 1..}, priority: int 0..
}
CohereChatResponse = {
  id!: text,
  finish_reason!: 'COMPLETE' | 'STOP_SEQUENCE' | 'MAX_TOKENS' | 'TOOL_CALL' | 'ERROR' | 'TIMEOUT',
  message!: {
    role!: 'assistant', content: (object "`text` or `thinking`.")[], tool_plan: text,
    tool_calls: called[], citations: citation[]
  },
  usage: usage, logprobs: {text: text, token_ids!: int[], logprobs: num[]}[]
}
CohereChatEvent = {
  type!: 'message-start' | 'content-start' | 'content-delta' | 'content-end' | 'tool-plan-delta'
    | 'tool-call-start' | 'tool-call-delta' | 'tool-call-end' | 'citation-start' | 'citation-end'
    | 'message-end' "Equal to the `event:` line.",
  index: int 0.., id: text, delta: object
} "One event. The last is `message-end`; of a stream that failed, with the reason `ERROR`."
CohereEmbedRequest = {
  model!: text "A model of this gateway: see `/v1/models`.",
  input_type: 'search_document' | 'search_query' | 'classification' | 'clustering' | 'image',
  texts: text[1..], images: text[1..], inputs: object[1..] "One of these three.",
  embedding_types: ('float' | 'int8' | 'uint8' | 'binary' | 'ubinary' | 'base64')[],
  output_dimension: int 1.., truncate: 'NONE' | 'START' | 'END', max_tokens: int, priority: int
}
CohereEmbedResponse = {
  id!: text, embeddings!: object "By type: `float`, `base64` …", texts: text[],
  meta: {billed_units: {input_tokens: num, image_tokens: num}} "As Cohere reports them."
}
""")
