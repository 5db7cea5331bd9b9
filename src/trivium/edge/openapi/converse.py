"""The Converse shape: its two operations, and schemas of request, answer and events.

A stream comes in binary frames, ``application/vnd.amazon.eventstream``; an event here is what one
frame holds. Source: ``bedrock-runtime`` of botocore 1.44 (``service-2.json``), read 2026-11-28.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Conversations in the shape of Amazon Bedrock's Converse."

OPERATIONS: Final = operations("""
converse
POST /model/{model}/converse converse "Answers a conversation." request=ConverseRequest
  answer=ConverseResponse parameters=model
POST /model/{model}/converse-stream converseStream "Answers a conversation in frames of
  `application/vnd.amazon.eventstream`." request=ConverseRequest event=ConverseEvent
  parameters=model
""")

SCHEMAS: Final = schemas("""
bytes = text "Base64."
place = {uri!: text "`s3://…`; for upstreams of this shape alone.", bucketOwner: text}
medium = {format!: text, source!: {bytes: bytes, s3Location: place}}
citing = {enabled!: bool}
doc = {
  name!: text(maxLength 200), format: text,
  source!: {bytes: bytes, s3Location: place, text: text, content: {text: text}[]},
  context: text, citations: citing
}
found = {source!: text, title!: text, content!: {text!: text}[], citations: citing}
point = {type!: 'default', ttl: '5m' | '1h'}
ConverseContent = {
  text: text, image: medium, document: doc, video: medium, audio: medium,
  toolUse: {toolUseId!: text, name!: text, input!: object},
  toolResult: {toolUseId!: text, content!: object[], status: 'success' | 'error'},
  guardContent: object, cachePoint: point,
  reasoningContent: {
    reasoningText: {text!: text, signature: text "Opaque; send it back."},
    redactedContent: bytes "Opaque; send it back."
  },
  citationsContent: {content: {text: text}[], citations: object[]}, searchResult: found
} "Exactly one member."
ConverseTurn = {role!: 'user' | 'assistant' | 'system', content!: ConverseContent[]}
ConverseRequest = {
  messages!: ConverseTurn[1..], system: {text: text, guardContent: object, cachePoint: point}[],
  inferenceConfig: {
    maxTokens: int 1.., temperature: num 0..1, topP: num 0..1, stopSequences: text[..2500]
  },
  toolConfig: {
    tools!: {
      toolSpec: {
        name!: text(pattern '^[A-Za-z0-9_-]{1,64}$'), description: text,
        inputSchema!: {json!: object}, strict: bool
      },
      systemTool: {name!: text}, cachePoint: point
    }[1..],
    toolChoice: {auto: object, any: object, tool: {name!: text}}
  },
  outputConfig: {
    textFormat: {
      type!: 'json_schema',
      structure!: {
        jsonSchema!: {schema!: text "JSON in a text.", name: text, description: text}
      }
    },
    effort: text
  },
  additionalModelRequestFields: object "What one family of models takes besides.",
  additionalModelResponseFieldPaths: text[..10], guardrailConfig: object, promptVariables: object,
  requestMetadata: {*: text}, performanceConfig: {latency: 'standard' | 'optimized'},
  serviceTier: {type!: 'priority' | 'default' | 'flex' | 'reserved'}
}
ConverseUsage = {
  inputTokens!: int 0.. "Without those read from or written to a cache.",
  outputTokens!: int 0.., totalTokens!: int 0.., cacheReadInputTokens: int 0..,
  cacheWriteInputTokens: int 0.., cacheDetails: {ttl!: text, inputTokens!: int 0..}[]
}
ConverseResponse = {
  output!: {message!: ConverseTurn},
  stopReason!: text "`end_turn`, `tool_use`, `max_tokens`, `stop_sequence` …",
  usage!: ConverseUsage, metrics!: {latencyMs!: int 0.. "0 where nobody measured it."},
  additionalModelResponseFields: object, serviceTier: {type!: text}
}
ConverseEvent = {
  messageStart: {role!: text}, contentBlockStart: {start!: object, contentBlockIndex!: int 0..},
  contentBlockDelta: {delta!: object, contentBlockIndex!: int 0..},
  contentBlockStop: {contentBlockIndex!: int 0..},
  messageStop: {stopReason!: text, additionalModelResponseFields: object},
  metadata: {usage!: ConverseUsage, metrics!: {latencyMs!: int 0..}, serviceTier: {type!: text}}
} "One member, by the name in the frame's `:event-type`."
""")
