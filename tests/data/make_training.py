"""Writes training.json: the tutorial's network trained by PyTorch in float64, its loss at the start and after each of 100 steps.

pip install torch==2.13.0; python tests/data/make_training.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

STEPS = 100
POINTS, TARGETS = [[0.5, 0.3], [0.2, 0.8]], [[0.8], [0.2]]
OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01),
}


def network() -> torch.nn.Sequential:
    """The network of the tutorial, always with the same weights."""
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(2, 5), torch.nn.ReLU(), torch.nn.Linear(5, 1)).double()


def trained(name: str) -> dict[str, Any]:
    """The losses, and the parameters after the last step."""
    model, criterion = network(), torch.nn.MSELoss()
    x, y = torch.tensor(POINTS, dtype=torch.float64), torch.tensor(TARGETS, dtype=torch.float64)
    optimizer = OPTIMIZERS[name](model.parameters())
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    losses.append(criterion(model(x), y).item())
    return {"losses": losses, "end": parameters(model)}


def parameters(model: torch.nn.Sequential) -> dict[str, Any]:
    """Weights and biases by the names of the expression."""
    return {name: p.tolist() for name, p in zip(("W1", "b1", "W2", "b2"), model.parameters(), strict=True)}


def main() -> None:
    made = {
        "torch": torch.__version__,
        "X": POINTS,
        "Y": TARGETS,
        "start": parameters(network()),
        **{name: trained(name) for name in OPTIMIZERS},
    }
    Path(__file__).with_name("training.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
