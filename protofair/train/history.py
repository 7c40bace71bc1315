"""The numbers of every step of an epoch, left on the device until they are needed."""

from typing import Any

import torch
from torch import Tensor


class History:
    """A row of numbers for each step: the newest still on the device, the others fetched."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._new: list[Tensor] = []
        self._fetched = torch.zeros(0, 0)

    def add(self, numbers: dict[str, Tensor]) -> None:
        self.names = list(numbers)
        self._new.append(torch.stack([number.float() for number in numbers.values()]))

    def fetch(self) -> Tensor:
        """All rows, float32 [steps, names] on the CPU. Waits for the device."""
        if self._new:
            new = torch.stack(self._new).cpu()
            self._fetched = torch.cat([self._fetched, new]) if len(self._fetched) else new
            self._new.clear()
        return self._fetched

    def first_bad(self) -> tuple[int, dict[str, float]] | None:
        """The first step that has a number which is not finite, and all its numbers. Waits for the device."""
        rows = self.fetch()
        for step in torch.nonzero(~rows.isfinite().all(dim=1))[:1, 0].tolist():
            return step, dict(zip(self.names, rows[step].tolist(), strict=True))
        return None

    def means(self) -> dict[str, float]:
        means = self.fetch().double().mean(dim=0)
        return {name: round(mean, 6) for name, mean in zip(self.names, means.tolist(), strict=True)}

    def state(self) -> dict[str, Any]:
        return {"names": self.names, "rows": self.fetch()}

    def load_state(self, state: dict[str, Any]) -> None:
        self.names, self._fetched, self._new = state["names"], state["rows"], []
