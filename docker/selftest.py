"""Does the container work? Import everything the pipeline uses, and train one step."""

from importlib.metadata import version

import click  # noqa: F401
import cv2  # noqa: F401
import dvc.api  # noqa: F401
import jinja2  # noqa: F401
import kornia_rs  # noqa: F401
import matplotlib  # noqa: F401
import pandas  # noqa: F401
import pydantic  # noqa: F401
import simplejpeg  # noqa: F401
import sklearn  # noqa: F401
import snakemake  # noqa: F401
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Flatten(), torch.nn.LazyLinear(2)).to(device)
images = torch.randn(4, 3, 16, 16, device=device)
before = torch.nn.functional.cross_entropy(model(images), torch.tensor([0, 1, 0, 1], device=device))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
before.backward()
optimiser.step()
after = torch.nn.functional.cross_entropy(model(images), torch.tensor([0, 1, 0, 1], device=device))
if not after < before:
    raise SystemExit(f"a training step on {device} did not lower the loss: {before.item():.4f} to {after.item():.4f}")
versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "snakemake", "dvc", "pandas", "scikit-learn"))
print(f"protofair container: a training step on {device} works ({versions})")
