"""The messages shape: its operations, and schemas of request, answer, stream events and counts.

Source: Anthropic's API reference and anthropic-sdk-python 2.11.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Conversations in the messages shape."

OPERATIONS: Final = operations("""
messages
POST /v1/messages messages_post "Answers a conversation." request=CreateMessageParams answer=Message
  event=MessageStreamEvent parameters=vendorVersion|vendorUserProfileId
POST /v1/messages/count_tokens messages_count_tokens_post "Counts the tokens of a conversation."
  request=CountMessageTokensParams answer=MessageTokensCount
  parameters=vendorVersion|vendorUserProfileId
""")

SCHEMAS: Final = schemas("""
cache = {type!: 'ephemeral', ttl: '5m' | '1h' "How long the prefix is kept."} | null
text_block = {type!: 'text', text!: text, cache_control: cache}
block = text_block
  | {
    type!: 'image' | 'document',
    source!: object "`base64`, `url`, `file`, `text` or `content`.", cache_control: cache
  } | {type!: 'thinking', thinking!: text, signature!: text "Opaque."}
  | {type!: 'redacted_thinking', data!: text "Opaque."}
  | {
    type!: 'tool_use', id!: text(pattern '^[a-zA-Z0-9_-]+$'), name!: text, input!: object,
    cache_control: cache
  }
  | {
    type!: 'tool_result', tool_use_id!: text, content: text | object[], is_error: bool,
    cache_control: cache
  } | ({type!: text} "Any other block, as the vendor has it.")
tool = {
  name!: text(pattern '^[a-zA-Z0-9_-]{1,128}$'), description: text,
  input_schema!: object "JSON Schema 2020-12 with an object at its root.", strict: bool,
  cache_control: cache
} | ({type!: text, name: text} "A tool of the vendor's.")
thinking = {
  type!: 'enabled', budget_tokens!: int 1024.. "Less than `max_tokens`.",
  display: 'summarized' | 'omitted'
} | {type!: 'adaptive' | 'disabled' | 'between_tools'}
asked = {
  model!: text "A model of this gateway: see `/v1/models`.",
  messages!: {role!: 'user' | 'assistant' | 'system', content!: text | block[]}[..100000],
  system: text | text_block[], tools: tool[],
  tool_choice: {
    type!: 'auto' | 'any' | 'tool' | 'none', name: text "With type `tool`.",
    disable_parallel_tool_use: bool
  },
  thinking: thinking, cache_control: cache,
  output_config: {
    effort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null,
    format: {type!: 'json_schema', schema!: object} | null
  }
}
usage = {
  input_tokens!: int "Neither read from nor written to a cache.",
  cache_read_input_tokens: int | null, cache_creation_input_tokens: int | null,
  cache_creation: {ephemeral_5m_input_tokens: int, ephemeral_1h_input_tokens: int} | null,
  output_tokens!: int "Thinking included."
}
CreateMessageParams = {
  ...asked, max_tokens!: int 0.. "Thinking included. 0 only fills the prompt cache.",
  stream: bool "Answer with server-sent events.", stop_sequences: text[],
  temperature: num 0..1 "Version 2023-06-01 only.", top_p: num 0..1 "Version 2023-06-01 only.",
  top_k: int 0.. "Version 2023-06-01 only.", metadata: {user_id: text(maxLength 256) | null},
  service_tier: 'auto' | 'standard_only'
}
Message = {
  id!: text, type!: 'message', role!: 'assistant', model!: text,
  content!: (object "`text`, `thinking`, `tool_use` …")[],
  stop_reason!: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'pause_turn'
    | 'refusal' | 'model_context_window_exceeded' | null,
  stop_sequence!: text | null, usage!: usage
}
MessageStreamEvent = {
  type!: 'message_start' | 'content_block_start' | 'content_block_delta' | 'content_block_stop'
    | 'message_delta' | 'message_stop' | 'ping' | 'error' "Equal to the `event:` line. Others
    may be added.",
  index: int 0.., message: Message, delta: object, usage: object "Cumulative."
} "One event. The last is `message_stop`, or `error`."
CountMessageTokensParams = asked
MessageTokensCount = {input_tokens!: int 0..}
""")
