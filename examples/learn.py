"""A network that plays: what PPO and cloning train, and a player of the lab.

    python examples/ppo.py                    # or examples/clone.py: writes examples/learned.pt
    hanabilab simulate examples/learn.py:policy --players 2 --rules hle --games 200
    hanabilab crossplay examples/learn.py:policy iggi piers --players 2 --rules hle
    hanabilab web --strategy examples/learn.py:policy

HANABILAB_LEARNED names another checkpoint. It plays the games it was trained for: two players.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

import numpy as np
import torch
from torch import nn

CHECKPOINT = Path(__file__).with_name("learned.pt")


def mlp(inputs: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
    """Return two hidden layers with orthogonal weights; `gain` scales the last layer."""
    layers = [nn.Linear(inputs, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, outputs)]
    for layer, scale in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])


class Actor(nn.Module):
    """Maps observations of one kind to logits of actions; illegal ones are never chosen."""

    def __init__(self, inputs: int, actions: int, hidden: int, kind: str = "canonical") -> None:
        super().__init__()
        self.shape, self.kind = (inputs, actions, hidden), kind
        self.layers = mlp(inputs, hidden, actions, 0.01)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return the logits of all moves, those of illegal ones very low."""
        return self.layers(observations).float().masked_fill(~masks, -1e9)


def save(actor: Actor, file: str | Path = CHECKPOINT) -> None:
    """Write a checkpoint in half precision: half a megabyte for 192 hidden units."""
    weights = {name: weight.half() for name, weight in actor.state_dict().items()}
    torch.save({"shape": actor.shape, "kind": actor.kind, "weights": weights}, file)


@functools.cache
def load(file: str | Path) -> Actor:
    """Read a checkpoint."""
    found = torch.load(file, weights_only=True)
    actor = Actor(*found["shape"], found["kind"])
    actor.load_state_dict({name: weight.float() for name, weight in found["weights"].items()})
    return actor.eval()


class Learned:
    """The policy of a checkpoint: always the likeliest action."""

    @property
    def actor(self) -> Actor:
        """The network of the checkpoint."""
        return load(os.environ.get("HANABILAB_LEARNED", CHECKPOINT))

    @property
    def observation_kind(self) -> str:
        """The kind of observation that the network was trained on."""
        return self.actor.kind

    def __call__(self, observation: dict, legal_moves: list[int]) -> int:
        """Return the best legal move."""
        masks = observation["action_mask"][None].astype(bool)
        return int(self.act_batch(observation["observation"][None], masks)[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Choose in many games at once: this is what `BatchEnv` asks partners for."""
        with torch.inference_mode():
            seen = torch.from_numpy(np.ascontiguousarray(observations)).float()
            return self.actor(seen, torch.from_numpy(action_masks)).argmax(1).numpy()


policy = Learned()
