"""The loop of every training stage: epochs and steps, what is logged, what is kept, when the state is saved."""

import json
import time
from typing import Any

import torch

from protofair.core.atomic import replacing, write_text
from protofair.train.checkpoint import Checkpoints, serialise
from protofair.train.history import History
from protofair.train.progress import Progress
from protofair.train.stop import Stop, StopRequest
from protofair.train.training import Training
from protofair.train.watch import TrainingError

CHECK_EVERY = 20  # steps between two looks at the losses: each look waits for the device


class Loop:
    """Trains to the last epoch, from wherever the checkpoints left off.

    Every random number comes from (seed, epoch, step), so the place, what steps change and the numbers of the current
    epoch are the whole state: killed at any moment and started again, a run ends with the same bits.
    """

    def __init__(
        self,
        trainer: Training,
        checkpoints: Checkpoints,
        progress: Progress,
        *,
        config: str,
        keep: tuple[int, ...],
        save_epochs: int,
        save_minutes: float,
    ) -> None:
        self.trainer, self.checkpoints, self.progress = trainer, checkpoints, progress
        self.config, self.keep = config, keep
        self.save_epochs, self.save_seconds = save_epochs, 60 * save_minutes
        self.kept, self.log = checkpoints.folder / "kept", checkpoints.folder / "log.jsonl"
        self.epoch, self.step = trainer.epochs[0], 0  # `step` steps of `epoch` are done
        self.history = History()
        self.records: list[dict[str, Any]] = []
        self.kmeans: dict[str, Any] | None = None
        self.seconds = self.epoch_seconds = 0.0  # of all processes that worked on this run
        self.resumed = 0
        self._lapped = self._saved = time.monotonic()

    def run(self) -> None:
        """Train; on SIGTERM or Ctrl-C save and exit with 128 + the signal's number."""
        self._restore()
        self.progress.start(epoch=self.epoch, images=self.step * self.trainer.batch_size)
        try:
            with Stop() as stop:
                while self.epoch <= self.trainer.epochs[-1]:
                    self._train_epoch(stop)
        except StopRequest as request:
            self._save()
            self.progress.line(f"{request}: saved in {self.checkpoints.folder}. The same command continues from there.")
            raise SystemExit(request.exit_code) from None
        finally:
            self.progress.close()

    def _train_epoch(self, stop: Stop) -> None:
        if self.step == 0:
            self.kmeans = self.trainer.begin_epoch(self.epoch, stop.here)
        for batch in self.trainer.batches(epoch=self.epoch, first_step=self.step):
            self.history.add(self.trainer.step(batch, epoch=self.epoch, step=self.step))
            self.step += 1
            self.progress.advance(self.trainer.batch_size, epoch=self.epoch)
            if self.step % CHECK_EVERY == 0:
                self._check_losses()
            stop.here()
            if time.monotonic() - self._saved >= self.save_seconds:
                self._save()
        self._end_epoch()
        if (self.epoch - self.trainer.epochs[0]) % self.save_epochs == 0 or self.epoch > self.trainer.epochs[-1]:
            self._save()
        stop.here()

    def _end_epoch(self) -> None:
        self._check_losses()
        self._check_parameters()
        self._record()
        if self.epoch in self.keep:
            with replacing(self.kept / f"epoch-{self.epoch:03d}.pt") as file:
                file.write(serialise(self.trainer.kept(config=self.config, epoch=self.epoch)))
        self.epoch, self.step, self.epoch_seconds = self.epoch + 1, 0, 0.0
        self.history, self.kmeans = History(), None

    def _record(self) -> None:
        """Add the epoch to the log; only the last two of its fields depend on the machine."""
        self._lap()
        rate = self.trainer.schedule.rate(self.epoch)
        record: dict[str, Any] = {"epoch": self.epoch, "lr": rate, **self.history.means()}
        self.records.append(record)
        warning = self.trainer.warning(self.records)
        found = {"clusters": self.trainer.metrics(), "kmeans": self.kmeans, "warning": warning}
        record |= {name: value for name, value in found.items() if value is not None}
        speed = self.trainer.steps * self.trainer.batch_size / self.epoch_seconds
        record |= {"seconds": round(self.epoch_seconds, 3), "images_per_second": round(speed, 1)}
        self._write_log()
        self.progress.epoch(record)
        if warning:
            self.progress.line(f"warning: {warning}")

    def _check_losses(self) -> None:
        bad = self.history.first_bad()
        if bad is not None:
            step, numbers = bad
            listed = ", ".join(f"{name} {value:g}" for name, value in numbers.items())
            raise self._failure(f"epoch {self.epoch}, step {step + 1} of {self.trainer.steps}: non-finite: {listed}.")

    def _check_parameters(self) -> None:
        """The last step's gradient shows in no loss."""
        if not self.trainer.finite():
            raise self._failure(f"epoch {self.epoch}, step {self.step} of {self.trainer.steps}: non-finite weights.")

    def _failure(self, what: str) -> TrainingError:
        good = self.checkpoints.newest() or "none yet"
        return TrainingError(f"{what} Last good checkpoint: {good}.")

    def _save(self) -> None:
        """Save a state that is known to be good."""
        self._check_losses()
        self._check_parameters()
        self._lap()
        self.checkpoints.save({
            "epoch": self.epoch,
            "step": self.step,
            "trainer": self.trainer.state(),
            "history": self.history.state(),
            "records": json.dumps(self.records),
            "kmeans": json.dumps(self.kmeans),
            "seconds": self.seconds,
            "epoch_seconds": self.epoch_seconds,
            "resumed": self.resumed,
            "machine": self._machine(),
        })  # fmt: skip
        self._saved = time.monotonic()

    def _restore(self) -> None:
        state = self.checkpoints.load()
        for path in self.checkpoints.damaged:
            self.progress.line(f"warning: {path} is damaged and was left out.")
        if state is None:
            return
        self.epoch, self.step, self.resumed = state["epoch"], state["step"], state["resumed"] + 1
        self.seconds, self.epoch_seconds = state["seconds"], state["epoch_seconds"]
        self.records, self.kmeans = json.loads(state["records"]), json.loads(state["kmeans"])
        self.trainer.load_state(state["trainer"])
        self.history.load_state(state["history"])
        self._write_log()
        self.progress.line(f"continues after step {self.step} of epoch {self.epoch}, from {self.checkpoints.folder}.")
        if state["machine"] != self._machine():
            change = f"began on {state['machine']}, goes on with {self._machine()}"
            self.progress.line(f"warning: {change}. The last bits of the result may differ.")

    def _machine(self) -> str:
        """What may change the order in which numbers are added up."""
        return f"{self.trainer.device.type} with {torch.get_num_threads()} threads, torch {torch.__version__}"

    def _write_log(self) -> None:
        write_text(self.log, "".join(json.dumps(record) + "\n" for record in self.records))

    def _lap(self) -> None:
        now = time.monotonic()
        self.seconds += now - self._lapped
        self.epoch_seconds += now - self._lapped
        self._lapped = now
