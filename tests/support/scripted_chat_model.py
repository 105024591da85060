"""A chat model that says what it is told to, whole or in pieces."""

import json
from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field


class ScriptedChatModel(BaseChatModel):
    """Answers with a text, or a tool call if ``arguments`` are given; streams ``step`` characters at a time.

    ``prompts`` collects what it was asked.
    """

    text: str = ""
    tool: str = "QuotedAnswer"
    arguments: dict[str, Any] | None = None
    step: int = 7
    prompts: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.prompts.append("\n".join(str(message.content) for message in messages))
        calls = []
        if self.arguments is not None:
            calls = [{"name": self.tool, "args": self.arguments, "id": "1", "type": "tool_call"}]
        message = AIMessage(self.text, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        self.prompts.append("\n".join(str(message.content) for message in messages))
        for piece in self._pieces(self.text):
            yield ChatGenerationChunk(message=AIMessageChunk(piece))
        if self.arguments is None:
            return
        for number, piece in enumerate(self._pieces(json.dumps(self.arguments))):
            name = self.tool if number == 0 else None
            call = tool_call_chunk(name=name, args=piece, id="1" if number == 0 else None, index=0)
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[call]))

    def _pieces(self, text: str) -> Iterator[str]:
        return (text[at : at + self.step] for at in range(0, len(text), self.step))
