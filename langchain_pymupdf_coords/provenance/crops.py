"""A picture of the part of a page that a chunk came from, and its JSON in the metadata of a Document."""

import re
from collections.abc import Iterable
from dataclasses import KW_ONLY, asdict, dataclass
from typing import Self

from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.provenance.fields import (
    DocumentLike,
    Field,
    compact_json,
    rounded,
    stored_value,
)

MIME_TYPES = ("image/png", "image/jpeg", "image/webp")

_MAX_CROPS_CHARS = 256 * 1024 * 1024  # pictures are large, and read back from no store

_MAX_SIDE = 1_000_000

_BASE64 = re.compile("[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True, slots=True)
class Crop:
    """A picture of a part of a page. Exactly one of ``base64`` and ``path`` is set.

    Attributes:
        page: Page number, from 1.
        bbox: What the picture shows, ``(x0, y0, x1, y1)`` in the displayed frame, in points. Its sides are
            those of the pixels, so ``width / (x1 - x0)`` is the scale.
        width: In pixels.
        height: In pixels.
        mime_type: ``"image/png"``, ``"image/jpeg"`` or ``"image/webp"``.
        base64: The encoded image.
        path: Its file.
    """

    page: int
    bbox: BBox
    width: int
    height: int
    mime_type: str
    _: KW_ONLY
    base64: str | None = None
    path: str | None = None

    @classmethod
    def from_document(cls, document: DocumentLike) -> tuple[Self, ...]:
        """Return the crops that ``SourceCropTransformer`` wrote, or none.

        Args:
            document: Any Document.

        Raises:
            ProvenanceError: ``metadata["crops"]`` is malformed, or of a newer version.
        """
        field, stored = stored_value(document, "crops")
        if stored is None:
            return ()
        records = field.items("value", field.decoded(stored, max_chars=_MAX_CROPS_CHARS))
        return tuple(cls._from_record(field.at(index), record) for index, record in enumerate(records))

    @classmethod
    def _from_record(cls, field: Field, record: object) -> Self:
        values = field.mapping(record)
        base64, path = values.get("base64"), values.get("path")
        if (base64 is None) == (path is None):
            raise field.error("needs base64 or path, and not both")
        if base64 is not None and not _BASE64.fullmatch(field.text("base64", base64)):
            raise field.error("base64 is not base64")
        return cls(
            page=field.page(values.get("page")),
            bbox=field.bbox(values.get("bbox")),
            width=field.integer("width", values.get("width"), 1, _MAX_SIDE),
            height=field.integer("height", values.get("height"), 1, _MAX_SIDE),
            mime_type=field.one_of("mime_type", values.get("mime_type"), MIME_TYPES),
            base64=base64,
            path=None if path is None else field.text("path", path),
        )


def dump_crops(crops: Iterable[Crop]) -> str:
    """Return ``metadata["crops"]``: JSON objects, coordinates rounded to 2 decimals.

    Raises:
        ProvenanceError: A coordinate is not finite.
    """
    records = []
    for crop in crops:
        record = {key: value for key, value in asdict(crop).items() if value is not None}
        record["bbox"] = rounded(crop.bbox)
        if crop.path is not None:
            record["path"] = clean_text(crop.path)
        records.append(record)
    return compact_json(records, "crops")
