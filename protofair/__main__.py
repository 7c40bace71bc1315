"""`python -m protofair`: the command line where the package is not installed, as in the container."""

from protofair.cli import main

main()
