"""The official files of one data set in one raw folder: what is there, what can be linked, what must be fetched."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import requests

from protofair.core.errors import UserError
from protofair.core.lock import only_process
from protofair.data.acquire.check import WrongFile, check
from protofair.data.acquire.fetch import Unavailable, fetch, unavailable
from protofair.data.acquire.ledger import Ledger
from protofair.data.acquire.space import require_space
from protofair.data.acquire.survey import Survey, disjoint, survey
from protofair.data.acquire.table import Dataset, is_archive
from protofair.data.acquire.unpack import unpack, unpacked_name
from protofair.data.acquire.web import Patience

Facts = dict[str, Any]
UNPACKED_SHARE = 1.05  # of a .tar.gz of large images; before each is unpacked, what it says itself counts
LINK = "images-{:02d}"


class Collection:
    """One data set's raw folder while it is being filled; `facts` has an entry for each official file it holds."""

    def __init__(self, folder: Path, dataset: Dataset, *, say: Callable[[str], None]) -> None:
        self.folder, self.dataset, self.say = folder, dataset, say
        self.ledger = Ledger(folder)
        self.facts: dict[str, Facts] = {}
        self._refused: dict[str, str] = {}
        self._in_folders = bool(survey(folder, dataset).folders)
        self._look()

    @property
    def missing(self) -> list[str]:
        """The official files still to be had, the small ones first; no archive where its images lie in folders."""
        files = self.dataset.files
        names = [name for name in files if name not in self.facts and not (self._in_folders and is_archive(name))]
        return sorted(names, key=lambda name: files[name].size or 0)

    def take_from(self, root: Path) -> None:
        """Link what `root` has and the folder lacks; nothing is copied."""
        found = survey(root, self.dataset)
        archives = [name for name in self.missing if is_archive(name)]
        for name in self.missing:
            self._take_file(name, found)
        lacking = [name for name in archives if name not in self.facts]
        if not lacking or not found.folders:
            return
        folders, notes = disjoint(found.folders)
        count = sum(len(found.folders[folder]) for folder in folders)
        if len(lacking) < len(archives) and count < self.dataset.images.count:
            self.say(f"{root}: {count:,} images in folders left out, since some archives are there as well.")
            return
        for name in archives:
            self._drop(name)
        for note in notes:
            self.say(note)
        for number, folder in enumerate(folders, start=1):
            place = self.folder / LINK.format(number)
            place.unlink(missing_ok=True)  # an earlier link to what is gone
            place.symlink_to(folder.resolve())
        self._in_folders = True

    def fetch_missing(self, *, session: requests.Session, patience: Patience, optional: bool) -> None:
        """Fetch the rest from the mirrors; what is not required may fail, and is left out unless `optional`."""
        files = self.dataset.files
        wanted = [name for name in self.missing if files[name].required or optional]
        require_space(self.folder, self._bytes_needed(wanted), purpose=f"fetching {len(wanted)} files")
        for name in wanted:
            try:
                facts = fetch(self.folder, name, files[name], session=session, patience=patience)
                self._keep(name, self.folder / name, facts)
            except Unavailable as reasons:
                if files[name].required:
                    lacking = [other for other in self.missing if files[other].required]
                    refused = f"  {self._refused[name]}\n" if name in self._refused else ""
                    raise unavailable(self.folder, self.dataset, name, f"{refused}{reasons}", lacking) from None
                self.say(f"{name}: no mirror gave it, and nothing needs it.\n{reasons}")

    def unpack_all(self) -> None:
        """Turn every `.tar.gz` into the plain `.tar` beside it, and remember what it was made from."""
        for name, facts in self.facts.items():
            archive, plain = self.folder / name, unpacked_name(name)
            if plain is None or facts["name"] != name or self._made_from(self.folder / plain) == facts:
                continue
            unpack(archive, self.folder / plain)
            self.ledger.put(self.folder / plain, {"made_from": facts})

    def _look(self) -> None:
        for name, file in self.dataset.files.items():
            for form in (name, *file.also):
                path = self.folder / form
                if not path.exists():
                    continue
                known = self.ledger.get(path)
                if known is not None:
                    self.facts[name] = known.get("made_from", known)
                    break
                try:
                    self._keep(name, path, check(path, file, official=form == name))
                except WrongFile as error:
                    raise UserError(f"{error}. Replace it, or delete it to have it fetched.") from None
                break

    def _keep(self, name: str, path: Path, facts: Facts) -> None:
        self.facts[name] = {"name": path.name, **facts}
        self.ledger.put(path, self.facts[name])

    def _drop(self, name: str) -> None:
        """Take back a link to an archive in favour of image folders."""
        if facts := self.facts.pop(name, None):
            (self.folder / facts["name"]).unlink()

    def _made_from(self, plain: Path) -> Facts | None:
        return (self.ledger.get(plain) or {}).get("made_from")

    def _take_file(self, name: str, found: Survey) -> None:
        file = self.dataset.files[name]
        for path in found.candidates(self.dataset, name):
            official = path.name in (name, *file.aliases)
            try:
                facts = check(path, file, official=official)
            except (WrongFile, OSError) as error:  # not the file, or not to be read
                self._refused.setdefault(name, str(error))
                self.say(f"{error}: not used.")
                continue
            target = self.folder / (name if official else path.name)
            link(path, target)
            self._keep(name, target, facts)
            return

    def _bytes_needed(self, wanted: list[str]) -> int:
        needed = 0.0
        for name in wanted:
            size, part = self.dataset.files[name].size or 0, self.folder / f"{name}.part"
            needed += size - (part.stat().st_size if part.exists() else 0)
            needed += size * UNPACKED_SHARE if unpacked_name(name) else 0
        return int(max(0, needed))


def link(source: Path, target: Path) -> None:
    """A hard link, which outlives the folder it came from, or across disks a symbolic one."""
    if target.exists() and target.samefile(source):
        return
    target.unlink(missing_ok=True)
    try:
        target.hardlink_to(source.resolve())
    except OSError:
        target.symlink_to(source.resolve())


@contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Two processes that fill the same folder would spoil each other's files."""
    busy = f"{folder}: another `protofair acquire` is filling it. Wait for it to end."
    with ExitStack() as held:
        try:
            held.enter_context(only_process(folder / ".lock", otherwise=busy))
        except OSError as error:
            raise UserError(f"{folder}: {error.strerror}. Choose another data folder with --out.") from None
        yield
