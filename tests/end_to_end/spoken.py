"""A short request in each shape: provider, path and body."""

SAID = [{"role": "user", "content": "Hi"}]
CHAT = ("openai", "/v1/chat/completions", {"model": "m", "messages": SAID})
RESPONSES = ("openai", "/v1/responses", {"model": "m", "input": "Hi"})
MESSAGES = ("anthropic", "/v1/messages", {"model": "m", "messages": SAID, "max_tokens": 9})
GENERATE = (
    "gemini", "/v1beta/models/m:generateContent", {"contents": [{"parts": [{"text": "Hi"}]}]},
)  # fmt: skip
CONVERSE = (
    "bedrock", "/model/m/converse", {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
)  # fmt: skip
COHERE = ("cohere", "/v2/chat", {"model": "m", "messages": SAID})
SHAPES = {
    "chat": CHAT, "responses": RESPONSES, "messages": MESSAGES, "generate": GENERATE,
    "converse": CONVERSE, "cohere": COHERE,
}  # fmt: skip
AMAZONS = {401: 424, 402: 424, 403: 424, 500: 500, 502: 500}
"""A vendor's status -> what is a ModelErrorException or an InternalServerException in Amazon's words,
which have no 502."""
