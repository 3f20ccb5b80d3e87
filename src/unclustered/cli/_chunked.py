"""``unclustered label`` on files that are too large to be held in memory as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError

if TYPE_CHECKING:
    from ..labeling import ChunkedLabeling
    from ..tables import Chunks, Table

__all__ = ["LARGE", "ChunkedPair", "is_large", "label_large"]

LARGE = 2**27  # bytes of both files together: more are read some rows at a time


@dataclass(frozen=True)
class ChunkedPair:
    """A and B as they are read from their files, and the columns that are used."""

    a: Path
    b: Path
    id_: str | None
    columns: Sequence[str]
    drop: Sequence[str]
    format: str | None

    def tables(self) -> list[Chunks]:
        """Return what is in the files."""
        from ..tables import read_chunks

        as_text = () if self.id_ is None else (self.id_,)
        return [read_chunks(p, as_text=as_text, format=self.format) for p in (self.a, self.b)]

    def used(self) -> list[_Used]:
        """Return the columns that the options leave."""
        return [_Used(chunks, self) for chunks in self.tables()]


@dataclass(frozen=True)
class _Used:
    chunks: Chunks
    pair: ChunkedPair

    def __iter__(self) -> Iterator[Table]:
        for table in self.chunks:
            keep = _names(self.pair.columns) or list(table)
            left_out = {*_names(self.pair.drop), self.pair.id_}
            unknown = [n for n in (*keep, *_names(self.pair.drop)) if n not in table.everything]
            if unknown:
                raise ParameterError(f"{table.path} has no column {unknown[0]!r}.")
            yield table.select(name for name in keep if name not in left_out)


def _names(given: Sequence[str]) -> list[str]:
    return [part.strip() for name in given for part in name.split(",")]


def is_large(a: Path, b: Path | None, format: str | None) -> bool:
    """Whether these are files to be read some rows at a time."""
    from ..tables import format_of
    from ..tables._several import files_of

    if b is None or "-" in (str(a), str(b)):
        return False
    try:
        files = [*files_of(a), *files_of(b)]
        return sum(file.stat().st_size for file in files) > LARGE and all(
            hasattr(format_of(file, format), "chunks") and file.suffix not in (".gz", ".zst")
            for file in files
        )
    except (OSError, ValueError):  # whoever reads them says what is wrong
        return False


def label_large(
    pair: ChunkedPair, *, out: Path | None, withhold: bool, **options: Any
) -> tuple[ChunkedLabeling, bool]:
    """Label, and write the labels; says whether there were reasons to withhold them."""
    from ..labeling import label_chunks
    from ..tables import write_chunks

    labeling = label_chunks(*pair.used(), **options)
    withheld = withhold and (labeling.evidence is None or not labeling.evidence.trustworthy)
    if out is not None and not withheld:
        write_chunks(_rows(labeling, pair), out, format=pair.format)
    return labeling, withheld


def _rows(labeling: ChunkedLabeling, pair: ChunkedPair) -> Iterator[Mapping[str, Any]]:
    """Columns of the labels file, some rows at a time."""
    if pair.id_ is None:
        yield from labeling.rows()
        return
    from ..methods._base import as_label

    name = "id" if pair.id_ in ("dataset", "label", "score") else pair.id_
    scores_of = labeling.scores_a, labeling.scores_b
    for dataset, chunks, scores in zip("AB", pair.tables(), scores_of, strict=True):
        start = 0
        for table in chunks:
            some = scores[start : start + table.n_rows]
            start += table.n_rows
            yield {
                "dataset": [dataset] * table.n_rows,
                name: table.everything[pair.id_],
                "label": as_label(some),
                "score": some,
            }
