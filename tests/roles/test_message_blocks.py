"""Documents in a multimodal prompt, as a chat model gets them."""

import base64
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_openai_messages
from langchain_core.messages.content import create_text_block
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.errors import ProvenanceError, SourceAccessError, SourceUnavailableError
from langchain_pymupdf_coords.message_blocks import content_blocks
from langchain_pymupdf_coords.provenance.crops import Crop, dump_crops
from tests.support.read_once import loaded

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 9
BOX = (0.0, 0.0, 9.0, 9.0)


class RecordingChatModel(BaseChatModel):
    """Keeps what it was sent, in the form that goes to an OpenAI-compatible server."""

    sent: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "recording"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.sent.extend(convert_to_openai_messages(messages))
        return ChatResult(generations=[ChatGeneration(message=AIMessage("1,482,300"))])


@pytest.fixture
def documents(report_path: Path) -> list[Document]:
    return loaded(report_path, ocr="never")[:2]


def test_a_chat_model_gets_text_and_pictures_in_order(documents: list[Document], report_path: Path) -> None:
    cropped = SourceCropTransformer(dpi=72).transform_documents(documents)
    question = create_text_block("How many passengers were there?")
    model = RecordingChatModel()
    model.invoke([HumanMessage(content_blocks=[*content_blocks(cropped), question])])

    (message,) = model.sent
    kinds = [part["type"] for part in message["content"]]
    pictures = [len(Crop.from_document(item)) for item in cropped]
    assert kinds == [kind for n in pictures for kind in ("text", *("text", "image_url") * n)] + ["text"]
    first, label, picture = message["content"][:3]
    page = cropped[0].metadata["page"]
    assert first["text"].startswith(f"[1] {report_path}, page {page}")
    assert first["text"].endswith(cropped[0].page_content)
    assert label["text"].startswith(f"[1] {report_path}, page {page}")
    url = picture["image_url"]["url"]
    assert url.startswith("data:image/png;base64,")
    assert url.partition(",")[2] == Crop.from_document(cropped[0])[0].base64
    assert message["content"][-1]["text"] == "How many passengers were there?"


def test_files_of_crops_are_read(documents: list[Document], tmp_path: Path) -> None:
    folder = tmp_path / "crops"
    cropped = SourceCropTransformer(dpi=72, folder=folder, image_format="webp").transform_documents(
        documents[:1]
    )
    in_memory = SourceCropTransformer(dpi=72, image_format="webp").transform_documents(documents[:1])
    assert [block | {"id": ""} for block in content_blocks(cropped, root=folder)] == [
        block | {"id": ""} for block in content_blocks(in_memory)
    ]


def test_without_crops_there_is_only_text() -> None:
    article = Document("Seven boats", metadata={"source": "a.pdf", "page": 3, "boxes": "[]"})
    (block,) = content_blocks([article])
    assert (block["type"], block["text"]) == ("text", "[1] a.pdf, page 3\n\nSeven boats")
    assert content_blocks([]) == []


@pytest.mark.parametrize(
    ("metadata", "label"),
    [
        ({}, "[1] a.pdf"),
        ({"page": 3, "page_end": 3, "page_label": "3"}, "[1] a.pdf, page 3"),
        ({"page": 3.0, "page_end": 4.0}, "[1] a.pdf, pages 3 to 4"),
        ({"page": 3, "page_end": 3, "page_label": "iii"}, "[1] a.pdf, page 3 (printed iii)"),
    ],
)
def test_labels(metadata: dict[str, Any], label: str) -> None:
    (block,) = content_blocks([Document("x", metadata={"source": "a.pdf", **metadata})])
    assert block["text"] == f"{label}\n\nx"


def crop_file(path: Path | str, mime_type: str = "image/png") -> Document:
    return Document(
        "x",
        metadata={"source": "a.pdf", "crops": dump_crops([Crop(1, BOX, 1, 1, mime_type, path=str(path))])},
    )


def test_a_crafted_path_gives_away_nothing_but_pictures_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    inside, outside, secret = tmp_path / "inside" / "a.png", tmp_path / "b.png", tmp_path / "inside" / "c.png"
    inside.write_bytes(PNG)
    outside.write_bytes(PNG)
    secret.write_text("password")
    block = content_blocks([crop_file(inside)], root=tmp_path / "inside")[-1]
    assert base64.b64decode(block["base64"]) == PNG
    with pytest.raises(SourceAccessError, match="outside"):
        content_blocks([crop_file(outside)], root=tmp_path / "inside")
    with pytest.raises(SourceAccessError, match=r"c\.png.* is not of type image/png"):
        content_blocks([crop_file(secret)])
    with pytest.raises(SourceAccessError, match="is not of type image/webp"):
        content_blocks([crop_file(inside, "image/webp")])
    with pytest.raises(SourceUnavailableError):
        content_blocks([crop_file(tmp_path / "gone.png")])


def test_malformed_metadata_is_an_error() -> None:
    with pytest.raises(ProvenanceError, match="source"):
        content_blocks([Document("x")])
    with pytest.raises(ProvenanceError, match="crops"):
        content_blocks([Document("x", metadata={"source": "a.pdf", "crops": "{}"})])
