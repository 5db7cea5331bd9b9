"""The embeddings shape: its operation and schemas.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Vectors."

OPERATIONS: Final = operations("""
embeddings
POST /v1/embeddings createEmbedding "Turns texts into vectors." request=CreateEmbeddingRequest
  answer=CreateEmbeddingResponse
""")

SCHEMAS: Final = schemas("""
tokens = (int 0..)[1..]
CreateEmbeddingRequest = {
  model!: text "A model of this gateway: see `/v1/models`.",
  input!: text(minLength 1) | text(minLength 1)[1..2048] | (int 0..)[1..2048] | tokens[1..2048],
  dimensions: int 1.., encoding_format: 'float' | 'base64',
  user: text "End-user identifier for abuse monitoring."
}
CreateEmbeddingResponse = {
  object!: 'list', model!: text,
  data!: {
    object!: 'embedding', index!: int 0..,
    embedding!: num[] | (text "Base64 of little-endian 32-bit floats.")
  }[],
  usage!: {prompt_tokens!: int, total_tokens!: int}
}
""")
