"""Addresses under which the clouds' own clients have the public shapes.

Bedrock's and Vertex's of the messages shape are written here; Vertex's of generate-content and
Azure's deployments are those of the shapes with the model in another path.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from trivium.edge.openapi.row import OperationRow, operations
from trivium.edge.openapi.schema import schemas

TAG: Final = "clouds"
ABOUT: Final = (
    "The same shapes for clients of Amazon Bedrock, Vertex AI and Azure OpenAI, which have the "
    "model in the path. Vertex's are served as `v1beta1` too, below `/vendorc` and `/gemini`, and "
    "without a project; below `/openai/v1` and `/openai` is what is below `/v1`."
)
DEPLOYMENT: Final = "/openai/deployments/{model}"
PLACE: Final = "/v1/projects/{project}/locations/{location}"
_GENERATE: Final = "/vendorc/v1beta/models/{model}"
_AZURE_KEYS: Final = ("gatewayDeploymentKey", "gatewayBearer")
_DEPLOYED: Final = frozenset(
    {
        "createChatCompletion",
        "createCompletion",
        "createEmbedding",
        "createImage",
        "createImageEdit",
        "createSpeech",
        "createTranscription",
        "createTranslation",
    }
)

_ROWS: Final = """
clouds
POST /model/{model}/invoke invokeModel "Answers a conversation, as Amazon Bedrock does; turns texts
  into vectors, or ranks documents, where the body is one of Titan's, of Cohere's or of the rerank
  models'."
  request=InvokedRequest answer=Message|InvokedTitanVector|InvokedVectors|InvokedRanks
  parameters=model keys=gatewayBearer
POST /model/{model}/invoke-with-response-stream invokeModelWithResponseStream "Answers a
  conversation in frames of `application/vnd.amazon.eventstream`, each with the data of one event."
  request=HostedMessagesRequest files=application/vnd.amazon.eventstream parameters=model
  keys=gatewayBearer
POST /model/{model}/count-tokens countBedrockTokens "Counts the tokens of a conversation, as Amazon
  Bedrock does." request=BedrockCountRequest answer=BedrockTokensCount parameters=model
  keys=gatewayBearer
POST {claude}/{model}:rawPredict
  rawPredict "Answers a conversation in the messages shape, as Vertex AI does."
  request=HostedMessagesRequest answer=Message event=MessageStreamEvent
  parameters=project|location|model keys=gatewayBearer
POST {claude}/{model}:streamRawPredict
  streamRawPredict "The same, piece by piece." request=HostedMessagesRequest
  event=MessageStreamEvent parameters=project|location|model keys=gatewayBearer
POST {claude}/count-tokens:rawPredict
  countVertexTokens "Counts the tokens of a conversation; the body names the model."
  request=HostedCountRequest answer=MessageTokensCount parameters=project|location
  keys=gatewayBearer
POST {place}/publishers/google/models/{model}:predict
  predictEmbeddings "Turns texts into vectors." request=PredictRequest answer=PredictResponse
  parameters=project|location|model keys=gatewayBearer
POST {place}/endpoints/openapi/chat/completions
  createVertexChatCompletion "Answers a conversation in the chat shape, as Vertex AI does."
  request=CreateChatCompletionRequest answer=CreateChatCompletionResponse
  event=CreateChatCompletionStreamResponse parameters=project|location keys=gatewayBearer
GET {place}/publishers/google/models listVertexModels "Models
  this key may ask for." answer=GenerateModelList parameters=project|location|pageSize|pageToken
  keys=gatewayBearer
GET {place}/publishers/google/models/{model} retrieveVertexModel
  "One model." answer=GenerateModel parameters=project|location|model keys=gatewayBearer
GET /openai/models listDeployedModels "Models this key may ask for." answer=ModelList
  keys=gatewayDeploymentKey
"""
OPERATIONS: Final = operations(
    _ROWS.replace("{claude}", f"{PLACE}/publishers/anthropic/models").replace("{place}", PLACE)
)

SCHEMAS: Final = schemas("""
HostedMessagesRequest = {
  anthropic_version!: text "`bedrock-2023-05-31`, `vertex-2023-10-16`, `2023-06-01` or
    `2026-10-21`.",
  anthropic_beta: text[..100] "Extensions, as the `anthropic-beta` header has them.",
  messages!: object[..100000], max_tokens!: int 0..
} "Otherwise as `CreateMessageParams`, without `model`; without `stream` where the address says it."
HostedCountRequest = {
  anthropic_version!: text, model!: text "A model of this gateway.", messages!: object[..100000]
} "Otherwise as `CountMessageTokensParams`."
InvokedRequest = HostedMessagesRequest | InvokedTitanRequest | InvokedVectorsRequest
  | InvokedRanksRequest
InvokedTitanRequest = {
  inputText!: text, dimensions: int 1.., embeddingTypes: ('float' | 'binary')[]
    "`binary` of Titan's own models."
} "Otherwise as Titan Embeddings takes it."
InvokedTitanVector = {
  embedding!: num[], embeddingsByType: {float: num[]}, inputTextTokenCount!: int 0..
}
InvokedVectorsRequest = {
  texts: text[], input_type: text, output_dimension: int 1.., embedding_types: text[]
    "Others than `float` and `base64` of Cohere's own models."
} "Otherwise as Cohere Embed takes it."
InvokedVectors = {
  id: text, response_type: 'embeddings_floats' | 'embeddings_by_type',
  embeddings!: num[][] | {float: num[][]}, texts: text[]
}
InvokedRanksRequest = {query!: text, documents!: text[], top_n: int 1.., api_version: int}
InvokedRanks = {results!: {index!: int 0.., relevance_score!: num}[]}
BedrockCountRequest = {
  input!: {
    converse: {messages!: object[..100000], system: object[], toolConfig: object},
    invokeModel: {body!: text "Base64 of a `HostedMessagesRequest`."}
  } "One of the two."
}
BedrockTokensCount = {inputTokens!: int 0..}
PredictRequest = {
  instances!: {content!: text, task_type: text, title: text}[1..2048],
  parameters: {outputDimensionality: int 1.., autoTruncate: bool "true, if given."}
}
PredictResponse = {
  predictions!: {embeddings!: {values!: num[]}}[] "In the order of the instances."
}
""")


def moved(rows: Iterable[OperationRow]) -> tuple[OperationRow, ...]:
    """The operations of the shapes that have addresses of a cloud besides, at those."""
    out: list[OperationRow] = []
    for row in rows:
        if row.name in _DEPLOYED:
            path = DEPLOYMENT + row.path.removeprefix("/v1")
            name = f"deployed{row.name.removeprefix('create')}"
            out.append(_at(row, path, name, ("model",), _AZURE_KEYS))
        elif row.path.startswith(f"{_GENERATE}:") and not row.path.endswith("batchEmbedContents"):
            method = row.path.removeprefix(_GENERATE)
            path = f"{PLACE}/publishers/google/models/{{model}}{method}"
            name = f"vertex{row.name[0].upper()}{row.name[1:]}"
            placed = ("project", "location", *row.parameters)
            out.append(_at(row, path, name, placed, ("gatewayBearer",)))
    return tuple(out)


def _at(
    row: OperationRow, path: str, name: str, parameters: tuple[str, ...], keys: tuple[str, ...]
) -> OperationRow:
    return msgspec.structs.replace(
        row, path=path, name=name, tag=TAG, parameters=parameters, keys=keys
    )
