"""Train the separable-convolution text classifiers of the paper (section 6, appendix A).

Three models for section 6.1 and one hundred for section 6.2, or another plan of ``plans.py``. These
two files need torch and numpy and the token cache of ``preprocess.py``, nothing else.

Usage: python train.py --tokens tokens.npz --runs runs [--plan paper|apart|curve|variants]
       [--workers 2] [--time-budget MINUTES]

Every finished model is one file ``runs/NAME.npz``, written whole or not at all: its test
probabilities, its settings, its training curve. Finished models are skipped, an unfinished one goes
on from its last epoch, and a lock that vanishes with its process keeps two workers off the same
model: the program may be killed at any moment and started again.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from plans import PLANS, Settings
from torch import Tensor, nn

N_CLASSES = 3
PADDING = 0
# What pooling gives the dense layer, as times the number of filters.
POOLED = {"positions": 1, "tokens": 1, "sentences": 2, "interaction": 4}


class SeparableConvolution(nn.Module):
    """Depthwise and pointwise convolution over positions, "same" padding, ReLU.

    Activations are laid out (channels, positions, samples). The depthwise part is a product with a
    banded (positions x positions) matrix per channel: several times faster on one CPU core than
    grouped convolutions, and on a GPU one batched product.
    """

    def __init__(self, channels: int, filters: int, kernel_size: int, length: int) -> None:
        super().__init__()
        self.depthwise = nn.Parameter(torch.empty(channels, kernel_size))
        self.pointwise = nn.Parameter(torch.empty(filters, channels))
        self.bias = nn.Parameter(torch.zeros(filters, 1, 1))
        # Both parts keep the variance of what passes through. Keras' default counts all channels
        # as a depthwise kernel's fan-in, and a stack of four then starts with no signal.
        limit = (3 / kernel_size) ** 0.5
        nn.init.uniform_(self.depthwise, -limit, limit)
        nn.init.kaiming_uniform_(self.pointwise, nonlinearity="relu")
        offset = torch.arange(length)[None, :] - torch.arange(length)[:, None]
        tap = offset + (kernel_size - 1) // 2
        self.register_buffer("inside", ((tap >= 0) & (tap < kernel_size)).float(), persistent=False)
        self.register_buffer("tap", tap.clamp(0, kernel_size - 1), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        band = self.depthwise[:, self.tap] * self.inside
        x = torch.bmm(band, x)
        mixed = self.pointwise @ x.reshape(len(x), -1)
        return torch.relu(mixed.reshape(len(mixed), *x.shape[1:]) + self.bias)


class SepCNN(nn.Module):
    """Embedding, blocks of two separable convolutions, average pooling, softmax (figure 7)."""

    def __init__(self, settings: Settings, n_tokens: int, length: int, separator: int) -> None:
        super().__init__()
        self.separator, self.pooling = separator, settings.pooling
        self.embedding = nn.Embedding(n_tokens, settings.embedding_dim)
        limit = settings.embedding_range
        nn.init.uniform_(self.embedding.weight, -limit, limit)
        layers: list[nn.Module] = []
        channels = settings.embedding_dim
        for _ in range(settings.blocks):
            layers.append(nn.Dropout(settings.dropout))
            for _ in range(2):
                layers.append(
                    SeparableConvolution(channels, settings.filters, settings.kernel_size, length)
                )
                channels = settings.filters
        # The paper pools with size 1 between convolutions, which changes nothing.
        self.convolutions = nn.Sequential(*layers)
        self.dropout = nn.Dropout(settings.dropout)
        self.output = nn.Linear(POOLED[settings.pooling] * channels, N_CLASSES)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.convolutions(self.embedding(tokens).permute(2, 1, 0))
        return self.output(self.dropout(self._pooled(x, tokens.t())))

    def _pooled(self, x: Tensor, tokens: Tensor) -> Tensor:
        """Means over positions, of shape (samples, features)."""
        if self.pooling == "positions":
            return x.mean(dim=1).t()
        real = (tokens != PADDING).float()
        if self.pooling == "tokens":
            return _mean_over(x, real)
        after = (tokens == self.separator).float().cumsum(dim=0).clamp(max=1)
        premise, hypothesis = _mean_over(x, real * (1 - after)), _mean_over(x, real * after)
        parts = [premise, hypothesis]
        if self.pooling == "interaction":
            parts += [(premise - hypothesis).abs(), premise * hypothesis]
        return torch.cat(parts, dim=1)


def _mean_over(x: Tensor, where: Tensor) -> Tensor:
    """Mean of (channels, positions, samples) over some positions, of shape (samples, channels)."""
    return ((x * where).sum(dim=1) / where.sum(dim=0).clamp(min=1)).t()


class Training:
    """One model's training, resumable after every epoch."""

    def __init__(self, settings: Settings, data: dict[str, np.ndarray], device: str) -> None:
        self.settings = settings
        self.device = device
        torch.manual_seed(settings.seed)
        tokens, y = training_part(settings, data["train_tokens"], data["train_y"])
        n_validation = round(len(y) * settings.validation_share)
        self.n_training_pairs = len(y) - n_validation
        as_tensor = [torch.from_numpy(a.astype(np.int64)).to(device) for a in (tokens, y)]
        self.validation = [a[:n_validation] for a in as_tensor]
        self.training = [a[n_validation:] for a in as_tensor]
        self.test = torch.from_numpy(data["test_tokens"].astype(np.int64)).to(device)
        n_tokens, length = len(data["vocabulary"]) + 2, tokens.shape[1]
        separator = separator_of(data["vocabulary"])
        self.swapped = torch.from_numpy(
            premises_swapped(data["test_tokens"], separator).astype(np.int64)
        ).to(device)
        self.model = SepCNN(settings, n_tokens, length, separator).to(device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=settings.learning_rate, eps=1e-7, fused=True
        )
        self.curve: list[dict[str, float]] = []
        self.best = {k: v.clone() for k, v in self.model.state_dict().items()}

    @property
    def finished(self) -> bool:
        """Whether validation has not improved for `patience` epochs."""
        costs = self._costs()
        stale = len(costs) - 1 - int(np.argmin(costs)) if costs else 0
        return len(costs) >= self.settings.max_epochs or stale >= self.settings.patience

    def _costs(self) -> list[float]:
        """What training is stopped by, of each epoch: less is better."""
        if self.settings.stop_on == "accuracy":
            return [-epoch["validation_accuracy"] for epoch in self.curve]
        return [epoch["validation_loss"] for epoch in self.curve]

    def epoch(self) -> None:
        """Train one epoch; batches and dropout depend on the seed and the epoch alone."""
        start, number = time.perf_counter(), len(self.curve)
        generator = torch.Generator().manual_seed(self.settings.seed * 1000 + number)
        torch.manual_seed(self.settings.seed * 1000 + number)
        tokens, y = self.training
        self.model.train()
        total = 0.0
        order = torch.randperm(len(y), generator=generator).to(self.device)
        for batch in order.split(self.settings.batch_size):
            self.optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(self.model(tokens[batch]), y[batch])
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach()) * len(batch)
        before = self._costs()
        logits = self.logits(self.validation[0])
        loss = float(nn.functional.cross_entropy(logits, self.validation[1]))
        accuracy = float((logits.argmax(1) == self.validation[1]).float().mean())
        self.curve.append(
            {
                "training_loss": total / len(y),
                "validation_loss": loss,
                "validation_accuracy": accuracy,
                "seconds": time.perf_counter() - start,
            }
        )
        if self._costs()[-1] < min(before, default=float("inf")):
            self.best = {k: v.clone() for k, v in self.model.state_dict().items()}

    @torch.no_grad()
    def logits(self, tokens: Tensor) -> Tensor:
        """Logits of shape (n_pairs, 3)."""
        self.model.eval()
        return torch.cat([self.model(part) for part in tokens.split(512)])

    def test_probabilities(self, *, swapped: bool = False) -> np.ndarray:
        """Test probabilities of the epoch that validated best, float32.

        `swapped` gives each hypothesis another pair's premise.
        """
        self.model.load_state_dict(self.best)
        tokens = self.swapped if swapped else self.test
        return torch.softmax(self.logits(tokens), dim=1).cpu().numpy()

    def state(self) -> dict[str, Any]:
        """What a later process needs to go on."""
        return {
            "settings": asdict(self.settings),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "best": self.best,
            "curve": self.curve,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.best, self.curve = state["best"], state["curve"]


def training_part(
    settings: Settings, tokens: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The model's share of the training pairs, shuffled, with its share of labels replaced."""
    generator = np.random.default_rng(settings.seed)
    n_kept = settings.n_pairs or round(len(y) * settings.data_share)
    kept = generator.permutation(len(y))[:n_kept]
    labels = y[kept].astype(np.int64)
    noisy = generator.choice(len(kept), round(len(kept) * settings.label_noise), replace=False)
    labels[noisy] = (labels[noisy] + generator.integers(1, N_CLASSES, len(noisy))) % N_CLASSES
    return tokens[kept], labels


def separator_of(vocabulary: np.ndarray) -> int:
    """Index of the token between the sentences; of none where the vocabulary lacks it."""
    found = np.flatnonzero(vocabulary == "[SEP]")
    # Before the words come padding and the token of all words that are not in the vocabulary.
    return int(found[0]) + 2 if len(found) else -1


def premises_swapped(tokens: np.ndarray, separator: int) -> np.ndarray:
    """Each pair's hypothesis behind the premise of the next pair."""
    out = np.zeros_like(tokens)
    for row, own, other in zip(out, tokens, np.roll(tokens, -1, axis=0), strict=True):
        places = [np.flatnonzero(pair == separator) for pair in (own, other)]
        ends = [int(place[0]) if len(place) else len(own) for place in places]
        pair = np.concatenate([other[: ends[1]], own[ends[0] :]])[: len(row)]
        row[: len(pair)] = pair
    return out


def train_one(
    settings: Settings, data: dict[str, np.ndarray], runs: Path, device: str, deadline: float
) -> bool:
    """Train, or go on training, one model; whether it was finished before the deadline."""
    checkpoint = runs / f"{settings.name}.checkpoint"
    training = Training(settings, data, device)
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True, map_location=device)
        if state["settings"] == asdict(settings):
            training.restore(state)
    while not training.finished:
        if time.time() > deadline:
            return False
        training.epoch()
        write_whole(checkpoint, lambda path: torch.save(training.state(), path))
    probabilities = training.test_probabilities()
    summary = {
        "settings": asdict(settings),
        "curve": training.curve,
        "test_accuracy": float((probabilities.argmax(1) == data["test_y"]).mean()),
        "accuracy_of_swapped_premises": float(
            (training.test_probabilities(swapped=True).argmax(1) == data["test_y"]).mean()
        ),
        "n_training_pairs": training.n_training_pairs,
        "n_parameters": sum(p.numel() for p in training.model.parameters()),
        "seconds": sum(epoch["seconds"] for epoch in training.curve),
        "device": device,
        "torch": torch.__version__,
    }
    arrays = {"probabilities": probabilities, "summary": np.array(json.dumps(summary))}
    write_whole(runs / f"{settings.name}.npz", lambda path: save_arrays(path, arrays))
    checkpoint.unlink()
    print(
        f"{settings.name}: test accuracy {summary['test_accuracy']:.4f}, "
        f"{len(training.curve)} epochs, {summary['seconds']:.0f} s",
        flush=True,
    )
    return True


def write_whole(path: Path, write: Any) -> None:
    """Write to a temporary name and rename, so that a kill leaves the old file or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    write(temporary)
    os.replace(temporary, path)


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Compress arrays into a file of exactly this name."""
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


@contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Whether this process alone holds the lock; the system frees it when the process ends."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def work(jobs: list[Settings], tokens: Path, runs: Path, device: str, deadline: float) -> None:
    """Train every job that is neither finished nor in the hands of another worker."""
    with np.load(tokens, allow_pickle=False) as file:
        data = {name: file[name] for name in file.files}
    for settings in jobs:
        with claim(runs / f"{settings.name}.lock") as mine:
            if not mine or (runs / f"{settings.name}.npz").exists():
                continue
            if not train_one(settings, data, runs, device, deadline):
                return


def kept_models(table: Path | None) -> set[str]:
    """Names of the models that ``pack.py`` has kept."""
    if table is None or not table.exists():
        return set()
    return {json.loads(line)["name"] for line in table.read_text().splitlines()}


def main() -> None:
    """Parse options; start the workers, or be one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tokens", type=Path, default=Path("tokens.npz"))
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--time-budget", type=float, default=float("inf"), metavar="MINUTES")
    parser.add_argument("--plan", choices=sorted(PLANS), default="paper")
    parser.add_argument("--kept", type=Path, metavar="JSONL", help="leave out models kept there")
    parser.add_argument("--models", type=int, help="only so many of the plan, from its start")
    parser.add_argument("--max-epochs", type=int, default=150)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--deadline", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    deadline = options.deadline or time.time() + 60 * options.time_budget
    kept = kept_models(options.kept)
    jobs = [
        replace(settings, max_epochs=options.max_epochs)
        for settings in PLANS[options.plan]()[: options.models]
        if settings.name not in kept
    ]
    if options.worker:
        torch.set_num_threads(1)
        work(jobs, options.tokens, options.runs, options.device, deadline)
        return
    command = [sys.executable, *sys.argv, "--worker", "--deadline", str(deadline)]
    workers = [subprocess.Popen(command) for _ in range(options.workers)]
    failed = sum(worker.wait() != 0 for worker in workers)
    done = sum((options.runs / f"{settings.name}.npz").exists() for settings in jobs)
    print(f"{done} of {len(jobs)} models are there.")
    if failed:
        raise SystemExit(f"{failed} of {options.workers} workers failed; start again to go on.")


if __name__ == "__main__":
    main()
