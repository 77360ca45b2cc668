"""A Hanabi player in plain Python that needs nothing but docs/reference/protocol.md.

It plays what must fit, tells others of playable cards, and else discards its oldest card::

    hanabilab simulate "exec:python3 examples/plain_player.py" --players 3 --games 100
"""

import json
import sys


def choose(view):
    """Return the text of a legal action."""
    legal = {action["text"]: action for action in view["legal"]}
    own = view["hands"][view["seat"]]
    for slot, held in enumerate(own):
        if all(fits(card, view["fireworks"]) for card in held["possible"]):
            return f"play {slot}"
    for text, action in legal.items():
        if action["type"].startswith("hint") and is_news(action, view):
            return text
    return "discard 0" if "discard 0" in legal else list(legal)[-1]


def fits(card, fireworks):
    """Return whether a card such as r1 can be played now."""
    return int(card[1:]) == fireworks[card[0]] + 1


def is_news(hint, view):
    """Return whether a hint says something new about a card that can be played."""
    kind = hint["type"].removeprefix("hint_")
    for held in view["hands"][hint["target"]]:
        suit, rank = held["card"][0], int(held["card"][1:])
        touched = hint["value"] == (suit if kind == "suit" else rank)
        if touched and not held[f"{kind}_hinted"] and fits(held["card"], view["fireworks"]):
            return True
    return False


def main():
    """Answer hello and turn; start, event and end need no answer."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(type="hello", protocol=1, name="plain player")
        elif message["type"] == "turn":
            view = message["view"]
            say(type="action", action=choose(view), turn=view["turn"])


def say(**answer):
    """Write a line at once: an answer that waits in a buffer is an answer too late."""
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
