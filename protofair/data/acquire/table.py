"""The table of official files (params/sources.yaml): sizes, hashes, mirrors, licences."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, HttpUrl, PositiveInt, StringConstraints

from protofair.core.strict import Strict, parse, read_yaml

ARCHIVES = (".zip", ".tar", ".tar.gz")

Text = Annotated[str, StringConstraints(min_length=1)]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Md5 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


class Http(Strict):
    kind: Literal["http"]
    url: HttpUrl

    def __str__(self) -> str:
        return str(self.url)


class Drive(Strict):
    kind: Literal["drive"]
    id: Annotated[str, StringConstraints(pattern=r"^[\w-]+$")]

    def __str__(self) -> str:
        return f"Google Drive {self.id}"


class Hub(Strict):
    kind: Literal["hub"]
    repo: Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$")]
    path: Text
    revision: Text = "main"

    def __str__(self) -> str:
        return f"Hugging Face {self.repo}/{self.path}"


Source = Annotated[Http | Drive | Hub, Field(discriminator="kind")]


class File(Strict):
    """One official file."""

    size: PositiveInt | None = None
    md5: Md5 | None = None
    sha256: Sha256 | None = None
    lines: PositiveInt | None = None
    aliases: tuple[FileName, ...] = ()
    also: tuple[FileName, ...] = ()
    required: bool = True
    sources: tuple[Source, ...] = Field(min_length=1)

    @property
    def hash(self) -> tuple[str, str] | None:
        """The strongest known hash as (algorithm, hexadecimal digest)."""
        if self.sha256 is not None:
            return "sha256", self.sha256
        return None if self.md5 is None else ("md5", self.md5)

    @property
    def facts(self) -> str:
        """Size and hash for a person to compare with."""
        size = "size unknown" if self.size is None else f"{self.size:,} bytes"
        return f"{size}, {self.hash[0]} {self.hash[1]}" if self.hash else f"{size}, no hash published"


class Licence(Strict):
    name: Text
    url: HttpUrl
    terms: Text


class Images(Strict):
    """The images inside the archives: how many, and a pattern of their whole names."""

    count: PositiveInt
    names: Annotated[str, AfterValidator(_compiles)]


class Dataset(Strict):
    title: Text
    page: HttpUrl
    licence: Licence
    citation: Text
    images: Images
    files: dict[FileName, File] = Field(min_length=1)

    def unpinned(self) -> "Dataset":
        """The same files with other content: what is drawn has no official size or hash."""
        free = {"size": None, "md5": None, "sha256": None, "lines": None}
        return self.model_copy(
            update={"files": {name: file.model_copy(update=free) for name, file in self.files.items()}}
        )


class Table(Strict):
    version: Literal[1]
    datasets: dict[str, Dataset]


def is_archive(name: str) -> bool:
    """Whether a file holds images; the others are label tables."""
    return name.endswith(ARCHIVES)


def read_table(path: Path) -> Table:
    return parse(Table, read_yaml(path), where=str(path))
