"""The moderations shape: its operation and schemas.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Classification."

OPERATIONS: Final = operations("""
moderations
POST /v1/moderations createModeration "Classifies text and images as potentially harmful."
  request=CreateModerationRequest answer=CreateModerationResponse
""")

SCHEMAS: Final = schemas("""
CreateModerationRequest = {
  model: text "Left out: `omni-moderation-latest`.",
  input!: text | text[]
    | ({type!: 'text', text!: text}
      | {type!: 'image_url', image_url!: {url!: text "An http(s) or data URL."}})[]
}
CreateModerationResponse = {
  id!: text, model!: text,
  results!: {
    flagged!: bool, categories!: {*: bool | null}, category_scores!: {*: num},
    category_applied_input_types: {*: ('text' | 'image')[]}
  }[]
}
""")
