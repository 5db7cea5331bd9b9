"""The generate-content shape: its operations, and schemas of request, answer, counting, embeddings.

Member names are shown in camelCase; snake_case is accepted as well, as the protocol has it.
Source: Google's Gemini API reference and google-genai 3.4.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Conversations and vectors in the generate-content shape."

OPERATIONS: Final = operations("""
generate
POST /vendorc/v1beta/models/{model}:generateContent generateContent "Answers a conversation."
  request=GenerateContentRequest answer=GenerateContentResponse parameters=model
POST /vendorc/v1beta/models/{model}:streamGenerateContent streamGenerateContent "Answers a
  conversation piece by piece: events with `alt=sse`, else one JSON array."
  request=GenerateContentRequest answer=GenerateContentResponse event=GenerateContentResponse
  parameters=model|alt stream_only
POST /vendorc/v1beta/models/{model}:countTokens countTokens "Counts the tokens of a conversation."
  request=CountTokensRequest answer=CountTokensResponse parameters=model
POST /vendorc/v1beta/models/{model}:embedContent embedContent "Turns a text into a vector."
  request=EmbedContentRequest answer=EmbedContentResponse parameters=model
POST /vendorc/v1beta/models/{model}:batchEmbedContents batchEmbedContents "Turns texts into
  vectors." request=BatchEmbedContentsRequest answer=BatchEmbedContentsResponse parameters=model
""")

SCHEMAS: Final = schemas("""
part = {
  text: text, inlineData: {mimeType!: text, data!: text "Base64, either alphabet."},
  fileData: {mimeType: text, fileUri!: text},
  functionCall: {id: text, name!: text, args: object},
  functionResponse: {id: text, name!: text, response!: object}, thought: bool,
  thoughtSignature: text "Opaque; send it back on the same part."
} "Exactly one kind of data, and what modifies it."
count = int 0..
tasks = 'RETRIEVAL_QUERY' | 'RETRIEVAL_DOCUMENT' | 'SEMANTIC_SIMILARITY' | 'CLASSIFICATION'
  | 'CLUSTERING' | 'QUESTION_ANSWERING' | 'FACT_VERIFICATION' | 'CODE_RETRIEVAL_QUERY'
config = {
  temperature: num 0..2, topP: num 0..1, topK: num 0.., candidateCount: int 1..8,
  maxOutputTokens: int 1.. "Thinking included.", stopSequences: text[..5], seed: int,
  presencePenalty: num -2..2, frequencyPenalty: num -2..2, responseLogprobs: bool,
  logprobs: int 0..20, responseMimeType: text,
  responseSchema: object "Excludes `responseJsonSchema`.",
  responseJsonSchema: object "Needs `responseMimeType`.",
  responseModalities: ('TEXT' | 'IMAGE' | 'AUDIO' | 'VIDEO')[],
  thinkingConfig: {
    includeThoughts: bool, thinkingBudget: int -1.. "0: off; -1: automatic.",
    thinkingLevel: 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH' | 'XHIGH'
  },
  speechConfig: object, imageConfig: object
}
tool = {
  functionDeclarations: {
    name!: text(pattern '^[A-Za-z_][A-Za-z0-9_.:-]*$', maxLength 128), description: text,
    parameters: object "Excludes `parametersJsonSchema`.", parametersJsonSchema: object
  }[],
  googleSearch: object, codeExecution: object, urlContext: object
}
Content = {role: 'user' | 'model' | 'function' "Left out: `user`.", parts: part[]}
GenerateContentRequest = {
  contents!: Content[1..], systemInstruction: Content | text, tools: tool[],
  toolConfig: {
    functionCallingConfig: {
      mode: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED', allowedFunctionNames: text[]
    }
  },
  safetySettings: {category!: text, threshold!: text}[], generationConfig: config,
  cachedContent: text, labels: {*: text},
  serviceTier: 'flex' | 'standard' | 'priority' | 'unspecified'
}
GenerateContentResponse = {
  candidates: {
    content: Content, finishReason: text "`STOP`, `MAX_TOKENS`, `SAFETY` …",
    finishMessage: text, index: count, safetyRatings: object[], groundingMetadata: object,
    citationMetadata: object
  }[],
  promptFeedback: {blockReason: text, safetyRatings: object[]}, usageMetadata: UsageMetadata,
  modelVersion: text, responseId: text
} "A whole answer, or one piece of a streamed one."
UsageMetadata = {
  promptTokenCount: int 0.. "Cached tokens included.", cachedContentTokenCount: count,
  toolUsePromptTokenCount: int 0.. "Not in `promptTokenCount`.",
  candidatesTokenCount: int 0.. "Thoughts not included.", thoughtsTokenCount: count,
  totalTokenCount: count
}
CountTokensRequest = {
  contents: Content[], generateContentRequest: object "Instead of `contents`: a whole request."
}
CountTokensResponse = {totalTokens!: count, cachedContentTokenCount: count}
EmbedContentRequest = {
  content!: Content, model: text "If given, `models/` and the model of the path.",
  taskType: tasks, title: text, outputDimensionality: int 1..
}
ContentEmbedding = {values!: num[]}
EmbedContentResponse = {embedding!: ContentEmbedding}
BatchEmbedContentsRequest = {requests!: EmbedContentRequest[1..]}
BatchEmbedContentsResponse = {
  embeddings!: ContentEmbedding[] "In the order of the requests.", usageMetadata: UsageMetadata
}
""")
