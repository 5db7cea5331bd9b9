"""The official order of a responses stream, checked event by event."""

from typing import Final

CREATED: Final = "response.created"
TERMINAL: Final = {"response.completed", "response.incomplete", "response.failed"}
TEXT: Final = {"output_text": "text", "refusal": "refusal", "reasoning_text": "text"}


class Order:
    """Fails at the first event that OpenAI's own service would not send there."""

    def __init__(self):
        self.output = []
        self.ended = False
        self.seen = 0
        self._id = None
        self._item = None
        self._part = None
        self._parts = []
        self._text = ""
        self._said = False

    def feed(self, event):
        """One event more."""
        assert not self.ended, "an event after the end"
        assert self.seen == event["sequence_number"]
        kind = event["type"]
        if self.seen < 2:
            assert kind == (CREATED, "response.in_progress")[self.seen]
        self.seen += 1
        if "response" in event:
            self._life(kind, event["response"])
        elif kind == "response.output_item.added":
            assert self._item is None, "an item within an item"
            assert len(self.output) == event["output_index"]
            self._item, self._parts, self._text, self._said = event["item"], [], "", False
            assert "in_progress" == self._item["status"]
        else:
            self._inside(kind, event)

    def _life(self, kind, response):
        assert self._id in (None, response["id"])
        self._id = response["id"]
        assert self._id
        if kind in TERMINAL:
            assert self._item is None, "an item was left open"
            assert self.output == response["output"]
            assert f"response.{response['status']}" == kind
            self.ended = True
        else:
            assert self.seen <= 2, f"{kind} once more"
            assert [] == response["output"]

    def _inside(self, kind, event):
        assert self._item is not None, f"{kind} outside of any item"
        assert len(self.output) == event["output_index"]
        if kind == "response.output_item.done":
            self._end(event["item"])
            return
        assert self._item["id"] == event["item_id"]
        if kind == "response.content_part.added":
            assert self._part is None, "a part within a part"
            assert len(self._parts) == event["content_index"]
            self._part, self._text, self._said = event["part"]["type"], "", False
            assert ("reasoning_text" == self._part) == ("reasoning" == self._item["type"])
            return
        if kind.startswith("response.function_call_arguments."):
            assert "function_call" == self._item["type"]
            if self._pieces(kind, event, "arguments"):
                self._parts.append(self._text)
            return
        assert self._part is not None, f"{kind} outside of any part"
        assert len(self._parts) == event["content_index"]
        if kind == "response.content_part.done":
            assert self._said, "a part ended before its text"
            assert (self._part, self._text) == (
                event["part"]["type"],
                event["part"][TEXT[self._part]],
            )
            self._parts.append(event["part"])
            self._part = None
        else:
            assert kind.startswith(f"response.{self._part}.")
            self._pieces(kind, event, TEXT[self._part])

    def _pieces(self, kind, event, member):
        """Deltas, then the same text whole."""
        assert not self._said, "text after its end"
        if kind.endswith(".delta"):
            self._text += event["delta"]
            return False
        assert kind.endswith(".done")
        assert self._text == event[member]
        self._said = True
        return True

    def _end(self, item):
        assert self._part is None, "an item ended before its part"
        assert (self._item["id"], self._item["type"]) == (item["id"], item["type"])
        if item["type"] == "function_call":
            assert self._parts == [item["arguments"]]
            assert self._item["call_id"] == item["call_id"]
        else:
            assert self._parts == item.get("content", [])
        assert item["status"] in ("completed", "incomplete")
        self.output.append(item)
        self._item = None
