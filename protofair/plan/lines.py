"""Where in a YAML file a key stands, so that an error can name the line."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml


class Lines:
    """The lines of every key and list item of a YAML file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)

    def of(self, location: Sequence[str | int]) -> int:
        """The line (from 1) of the deepest part of `location` that stands in the file."""
        node, line = self._root, 1
        for part in location:
            child = None
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    if key.value == str(part):
                        line, child = key.start_mark.line + 1, value
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                child = node.value[part]
                line = child.start_mark.line + 1
            if child is None:
                return line
            node = child
        return line

    def saying(self, key: str, value: Any) -> list[int]:
        """The lines that give `key` this value, wherever they stand."""
        return [
            node.start_mark.line + 1
            for node, held in self._pairs(self._root)
            if node.value == key and isinstance(held, yaml.ScalarNode) and yaml.safe_load(held.value) == value
        ]

    def _pairs(self, node: yaml.Node) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        if isinstance(node, yaml.MappingNode):
            yield from node.value
        for child in node.value if isinstance(node.value, list) else []:
            for part in child if isinstance(child, tuple) else (child,):
                yield from self._pairs(part)
