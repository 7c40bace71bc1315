"""What has been verified in a raw folder, so that it is not read and hashed again: size, time of change, hash."""

import json
from pathlib import Path
from typing import Any

from protofair.core.atomic import write_json

NAME = ".verified.json"


class Ledger:
    """Facts about files, each valid as long as the file's size and time of change stay the same."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._entries = _read(self.path)

    def get(self, path: Path) -> dict[str, Any] | None:
        """The facts about a file, if it is still the one they were found on."""
        return self.facts(path.name, stamp=_stamp(path)) if path.exists() else None

    def put(self, path: Path, facts: dict[str, Any]) -> None:
        self.put_facts(path.name, stamp=_stamp(path), facts=facts)

    def facts(self, key: str, *, stamp: str) -> dict[str, Any] | None:
        """Facts about something that is not one file, under a stamp of its state."""
        entry = self._entries.get(key)
        if entry is None or entry["stamp"] != stamp:
            return None
        facts: dict[str, Any] = entry["facts"]
        return facts

    def put_facts(self, key: str, *, stamp: str, facts: dict[str, Any]) -> None:
        self._entries[key] = {"stamp": stamp, "facts": facts}
        write_json(self.path, self._entries)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """The whole entries of a ledger; what is damaged is hashed again."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    entries = content.items() if isinstance(content, dict) else ()
    return {key: entry for key, entry in entries if isinstance(entry, dict) and entry.keys() == {"stamp", "facts"}}


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"
