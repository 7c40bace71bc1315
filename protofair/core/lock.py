"""One process at a time: a second one is told so at once, instead of spoiling the first one's files."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protofair.core.atomic import make_folder
from protofair.core.errors import UserError


@contextmanager
def only_process(lock: Path, *, otherwise: str) -> Iterator[None]:
    """Hold the file `lock`; refused with the words `otherwise` while another process does.

    The kernel lets go of it when the process ends, however that happens.
    """
    make_folder(lock.parent)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(otherwise) from None
        yield
