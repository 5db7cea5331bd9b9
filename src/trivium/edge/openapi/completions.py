"""The completions shape: its operation and schemas.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi import chat
from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Texts to be continued."

OPERATIONS: Final = operations("""
completions
POST /v1/completions createCompletion "Continues a text." request=CreateCompletionRequest
  answer=CreateCompletionResponse event=CreateCompletionResponse
""")

SCHEMAS: Final = schemas(
    """
tokens = (int 0..)[1..]
CreateCompletionRequest = {
  model!: text "A model of this gateway: see `/v1/models`.",
  prompt!: text | text[] | tokens | tokens[] | null, ...sampling, ...stream,
  best_of: int 0..20 | null "At least `n`; not with `stream`.", echo: bool | null,
  logprobs: int 0..5 | null, max_tokens: int 0.. | null "Left out: 16.",
  n: int 1..128 | null "Choices per prompt.", suffix: text | null
}
CreateCompletionResponse = {
  id!: text, object!: 'text_completion', created!: int "Seconds since the epoch.", model!: text,
  choices!: {
    index!: int, text!: text, logprobs: object | null,
    finish_reason!: 'stop' | 'length' | 'content_filter' | null
  }[],
  usage: CompletionUsage | null
} "A whole answer, or one `data:` line of a stream, which ends with `data: [DONE]`."
""",
    chat.SCHEMAS,
)
