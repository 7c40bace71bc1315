"""Files of results as they are found: whole, half written, or something else."""

import json
from pathlib import Path
from typing import Any

# What reading a file that is not what it should be can raise.
UNREADABLE = (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def why(error: Exception) -> str:
    """What an exception says, on one line."""
    return f"no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
