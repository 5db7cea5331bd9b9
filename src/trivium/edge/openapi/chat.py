"""The chat shape: its operations, and schemas of request, answer, stream.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.

``name``, ``sampling``, ``stream`` and ``efforts`` are other shapes' too.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Conversations in the chat shape."

OPERATIONS: Final = operations("""
chat
POST /v1/chat/completions createChatCompletion "Answers a conversation."
  request=CreateChatCompletionRequest answer=CreateChatCompletionResponse
  event=CreateChatCompletionStreamResponse
""")

SCHEMAS: Final = schemas("""
name = text(pattern '^[A-Za-z0-9_-]{1,64}$')
sampling = {
  frequency_penalty: num -2..2 | null, presence_penalty: num -2..2 | null,
  logit_bias: {*: int -100..100} | null "Token id to bias.", seed: int | null,
  stop: text | text[1..4] | null "Where to stop.", temperature: num 0..2 | null,
  top_p: num 0..1 | null, user: text "End-user identifier for abuse monitoring."
}
stream = {
  stream: bool | null "Answer with server-sent events.",
  stream_options: {
    include_usage: bool "Send usage in a last event without choices.", include_obfuscation: bool
  } | null
}
efforts = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
tiers = 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast'
calls = (ChatCompletionMessageToolCall | ChatCompletionMessageCustomToolCall)[]
parts = ({type!: 'text', text!: text}
  | {
    type!: 'image_url',
    image_url!: {
      url!: text "An http(s) or data URL.", detail: 'auto' | 'low' | 'high' | 'original'
    }
  } | {type!: 'input_audio', input_audio!: {data!: text "Base64.", format!: 'wav' | 'mp3'}}
  | {type!: 'file', file!: {file_data: text, file_id: text, filename: text}}
  | {type!: 'refusal', refusal!: text})[]
CompletionUsage = {
  prompt_tokens!: int "Cached tokens included.",
  completion_tokens!: int "Reasoning tokens included.", total_tokens!: int,
  prompt_tokens_details: {cached_tokens: int, audio_tokens: int},
  completion_tokens_details: {reasoning_tokens: int, audio_tokens: int}
}
finish = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'
message = {
  role!: 'developer' | 'system' | 'user' | 'assistant' | 'tool' | 'function',
  content: text | parts | null, name: text, refusal: text | null, tool_calls: calls,
  tool_call_id: text "With role `tool`: the call this answers.",
  function_call: {name!: text, arguments!: text} | null deprecated
}
tool = {type!: 'function', function!: FunctionObject}
  | {type!: 'custom', custom!: {name!: name, description: text, format: object}}
choice = 'none' | 'auto' | 'required' | {type!: 'function', function!: {name!: text}}
  | {type!: 'custom', custom!: {name!: text}} | ChatCompletionAllowedToolsChoice "Without tools
  `none`, with tools `auto`."
format = {type!: 'text' | 'json_object'}
  | {
    type!: 'json_schema',
    json_schema!: {
      name!: name, description: text, schema: object, strict: bool | null
    }
  }
CreateChatCompletionRequest = {
  model!: text "A model of this gateway: see `/v1/models`.", messages!: message[1..],
  ...sampling, ...stream, audio: object | null "With the modality `audio`: voice and format.",
  function_call: 'none' | 'auto' | ChatCompletionFunctionCallOption deprecated,
  functions: ChatCompletionFunctions[1..128] deprecated, logprobs: bool | null,
  top_logprobs: int 0..20 | null,
  max_completion_tokens: int 1.. | null "Reasoning tokens included.",
  max_tokens: int 1.. | null deprecated, metadata: Metadata | null,
  modalities: ('text' | 'audio')[] | null, n: int 1..128 | null "How many choices.",
  parallel_tool_calls: bool, prediction: object | null, prompt_cache_key: text | null,
  reasoning_effort: efforts | null, response_format: format,
  safety_identifier: text(maxLength 128) | null, service_tier: tiers | null,
  store: bool | null, tool_choice: choice, tools: tool[],
  verbosity: 'low' | 'medium' | 'high' | null, web_search_options: object
}
CreateChatCompletionResponse = {
  id!: text, object!: 'chat.completion', created!: int "Seconds since the epoch.", model!: text,
  choices!: {
    index!: int, finish_reason!: finish, logprobs: object | null,
    message!: {
      role!: 'assistant', content!: text | null, refusal: text | null, tool_calls: calls,
      annotations: object[], audio: object | null
    }
  }[],
  usage: CompletionUsage, service_tier: text | null, system_fingerprint: text | null
}
CreateChatCompletionStreamResponse = {
  id!: text "The same in every chunk.", object!: 'chat.completion.chunk',
  created!: int "The same in every chunk.", model!: text,
  choices!: {
    index!: int, delta!: object "What is new of the message.", finish_reason: finish | null,
    logprobs: object | null
  }[],
  usage: CompletionUsage | null
} "One `data:` line of the stream, which ends with `data: [DONE]`."
""")
