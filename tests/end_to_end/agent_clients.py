"""Clients of the loop of agents, shape by shape: what they ask, and what they keep of an answer."""

import json

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class Chat:
    """A chat SDK: sends text, ids, names and arguments back, the last spelt anew."""

    path = "/v1/chat/completions"

    def __init__(self):
        self.history = [{"role": "user", "content": "Weather?"}]

    def body(self):
        function = {"name": "look", "parameters": SCHEMA}
        return {"model": "m", "messages": self.history, "reasoning_effort": "low",
                "tools": [{"type": "function", "function": function}]}  # fmt: skip

    def take(self, answer):
        message = answer["choices"][0]["message"]
        calls = [
            {"id": call["id"], "type": "function", "function": {
                "name": call["function"]["name"],
                "arguments": json.dumps(json.loads(call["function"]["arguments"]), indent=1)}}
            for call in message["tool_calls"]
        ]  # fmt: skip
        said = {"role": "assistant", "content": message["content"], "tool_calls": calls}
        self.history.append(said)
        for call in calls:
            self.history.append({"role": "tool", "tool_call_id": call["id"], "content": "sun"})
        return [call["id"] for call in calls]


class Responses:
    """Sends output items back as they came, without state at the vendor."""

    path = "/v1/responses"

    def __init__(self):
        self.history = [{"role": "user", "content": "Weather?"}]

    def body(self):
        return {"model": "m", "input": self.history, "store": False,
                "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low"},
                "tools": [{"type": "function", "name": "look", "parameters": SCHEMA,
                           "strict": False}]}  # fmt: skip

    def take(self, answer):
        self.history += answer["output"]
        ids = [item["call_id"] for item in answer["output"] if item["type"] == "function_call"]
        for id_ in ids:
            self.history.append({"type": "function_call_output", "call_id": id_, "output": "sun"})
        return ids


class Messages:
    """Sends content blocks back, known members only."""

    path = "/v1/messages"
    kept = ("type", "text", "thinking", "signature", "data", "id", "name", "input")

    def __init__(self):
        self.history = [{"role": "user", "content": "Weather?"}]

    def body(self):
        return {"model": "m", "max_tokens": 9000, "messages": self.history,
                "thinking": {"type": "enabled", "budget_tokens": 2048},
                "tools": [{"name": "look", "input_schema": SCHEMA}]}  # fmt: skip

    def take(self, answer):
        blocks = [{k: v for k, v in b.items() if k in self.kept} for b in answer["content"]]
        self.history.append({"role": "assistant", "content": blocks})
        ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": id_, "content": "sun"} for id_ in ids]
        self.history.append({"role": "user", "content": results})
        return ids


class Generate:
    """Sends the model's content back, signatures on the parts they came on."""

    path = "/v1beta/models/m:generateContent"

    def __init__(self):
        self.history = [{"role": "user", "parts": [{"text": "Weather?"}]}]

    def body(self):
        return {"contents": self.history,
                "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
                "tools": [{"functionDeclarations": [
                    {"name": "look", "parametersJsonSchema": SCHEMA}]}]}  # fmt: skip

    def take(self, answer):
        content = answer["candidates"][0]["content"]
        self.history.append(content)
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        replies = [
            {"functionResponse": {"id": call["id"], "name": "look", "response": {"output": "sun"}}}
            for call in calls
        ]
        self.history.append({"role": "user", "parts": replies})
        return [call["id"] for call in calls]


class Converse:
    """Sends content blocks back as they came."""

    path = "/model/m/converse"

    def __init__(self):
        self.history = [{"role": "user", "content": [{"text": "Weather?"}]}]

    def body(self):
        spec = {"name": "look", "inputSchema": {"json": SCHEMA}}
        thinking = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
        return {"messages": self.history, "inferenceConfig": {"maxTokens": 9000},
                "additionalModelRequestFields": thinking,
                "toolConfig": {"tools": [{"toolSpec": spec}]}}  # fmt: skip

    def take(self, answer):
        message = answer["output"]["message"]
        self.history.append(message)
        ids = [one["toolUse"]["toolUseId"] for one in message["content"] if "toolUse" in one]
        results = [{"toolResult": {"toolUseId": id_, "content": [{"text": "sun"}]}} for id_ in ids]
        self.history.append({"role": "user", "content": results})
        return ids


class Cohere:
    """Sends the message back as its SDK dumps it, members that it does not know included."""

    path = "/v2/chat"

    def __init__(self):
        self.history = [{"role": "user", "content": "Weather?"}]

    def body(self):
        function = {"name": "look", "parameters": SCHEMA}
        return {"model": "m", "messages": self.history, "thinking": {"type": "enabled"},
                "tools": [{"type": "function", "function": function}]}  # fmt: skip

    def take(self, answer):
        self.history.append(answer["message"])
        ids = [call["id"] for call in answer["message"]["tool_calls"]]
        for id_ in ids:
            self.history.append({"role": "tool", "tool_call_id": id_, "content": "sun"})
        return ids


CLIENTS = {
    "chat": Chat, "responses": Responses, "messages": Messages, "generate": Generate,
    "converse": Converse, "cohere": Cohere,
}  # fmt: skip
