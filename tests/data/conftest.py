"""What the tests of the data share: the real UTKFace, where somebody has it."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)  # a busy machine is no failure
settings.load_profile("no-deadline")


@pytest.fixture(scope="session")
def utkface_tar() -> Path:
    """The official images as UTKFace.tar, in the folder PROTOFAIR_DATA_DIR or in shared/data beside the project."""
    beside = Path(__file__).parents[2].parent / "shared" / "data"
    for folder in (os.environ.get("PROTOFAIR_DATA_DIR"), beside):
        if folder and (path := Path(folder) / "UTKFace.tar").is_file():
            return path
    pytest.skip(
        "no UTKFace.tar. To run this test: protofair acquire utkface, then set PROTOFAIR_DATA_DIR to the folder with it"
    )
