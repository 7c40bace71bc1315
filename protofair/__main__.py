"""The command line, also as `python -m protofair` where the package is not installed, as in the container."""

import sys
from typing import Any


def main() -> Any:
    """Hand over to the commands, or say what they need: the regulariser alone is installed without it."""
    try:
        from protofair.cli import main as command_line

        return command_line()
    except ModuleNotFoundError as error:
        if str(error.name).startswith("protofair"):
            raise
        print(f"protofair: there is no '{error.name}'. Install it: pip install 'protofair[pipeline]'", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
