"""Behaviour cloning: a network that imitates recorded games, with PyTorch.

    hanabilab dataset piers --players 2 --rules hle --games 20000 --out games
    python examples/clone.py games

It learns what the recorded players did from what they saw, says how often it does the same in games
that it has not seen, and writes a checkpoint that `examples/learn.py` seats at our tables.
"""

from __future__ import annotations

import argparse

import torch
from learn import CHECKPOINT, Actor, save
from torch.nn.functional import cross_entropy

import hanabilab as hl


def tensors(batch: dict) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what was seen, what was legal and what was done."""
    legal, action = batch["legal"].astype(bool), batch["action"].astype("int64")
    return tuple(map(torch.from_numpy, (batch["observation"], legal, action)))


def agreement(actor: Actor, data: hl.dataset.Dataset) -> float:
    """Return the share of turns in which the network would do the same."""
    same = turns = 0
    with torch.inference_mode():
        for batch in data.batches(8192, dtype="float32"):
            seen, legal, action = tensors(batch)
            same += int((actor(seen, legal).argmax(1) == action).sum())
            turns += len(action)
    return same / turns


def main(arguments: list[str] | None = None) -> float:
    """Train a policy on a data set, and return its accuracy."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", help="a folder that hanabilab dataset has written")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the data, default 4")
    parser.add_argument("--hidden", type=int, default=256, help="units in a layer, default 256")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate, default 0.001")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--out", default=str(CHECKPOINT), help="where to write the checkpoint")
    chosen = parser.parse_args(arguments)
    torch.manual_seed(chosen.seed)
    train, test = hl.dataset.load(chosen.data).split(0.95, 0.05)
    actor = Actor(train.schema.bits, train.schema.actions, chosen.hidden)
    optimizer = torch.optim.Adam(actor.parameters(), lr=chosen.rate)
    for epoch in range(chosen.epochs):
        for batch in train.batches(1024, dtype="float32", shuffle=epoch):
            seen, legal, action = tensors(batch)
            loss = cross_entropy(actor(seen, legal), action)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        same = agreement(actor, test)
        print(f"epoch {epoch + 1}: the same action in {same:.1%} of turns it has not seen")
    save(actor, chosen.out)
    return same


if __name__ == "__main__":
    main()
