"""Examples of the conventions for people who want to learn them: a deal, and what happens then."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """A convention in words, and an exercise: a few turns, of which the last one is the answer."""

    title: str
    level: int
    words: str
    """The convention, for the list and as the explanation of the answer."""
    players: int = 0
    deal: str = ""
    """The first cards of the deck, hand by hand, oldest first; empty if there is no picture."""
    actions: tuple[str, ...] = ()
    """The turns. People are shown the board before the last one, as its player sees it."""
    question: str = ""
    """What to ask that player, in the second person; slot 1 is the newest card."""
    wrong: str = ""
    """What to reply to any other action."""
    tokens: int = 8
    """Hint tokens at the start."""

    @property
    def anchor(self) -> str:
        """The name in links: the title in small letters, with hyphens, without apostrophes."""
        return self.title.lower().replace(" ", "-").replace("'", "")

    @property
    def answer(self) -> str:
        """The right action; empty if there is no picture."""
        return self.actions[-1] if self.actions else ""


CALM = "y3 g3 b3 w3 y4"

EXAMPLES = (
    Example(
        "The chop",
        1,
        "The chop is the oldest card that no hint has touched. If you have nothing better to do, "
        "discard it; a card that you know to be dead goes first.",
        2,
        f"{CALM} y4 g3 w3 b4 r4",
        ("hint 1 4", "discard 1"),
        "Alice told you which cards are 4s, and that was the last hint token. You have nothing to "
        "play. Which card do you discard?",
        "The 4s were hinted, so you keep them. Of the cards without a hint, the oldest goes first.",
        tokens=1,
    ),
    Example(
        "Play hints and the focus",
        1,
        "A hint is about one card, its focus: the chop if the hint touches it, otherwise the "
        "newest card that no hint had touched before. Unless the hint is a save, that card can be "
        "played.",
        2,
        f"{CALM} g4 r4 y4 b4 r1",
        ("hint 1 r", "play 4"),
        "Alice told you red. It touches two cards, and neither is your chop. What do you do?",
        "The hint does not touch your chop, so it says “play”: and it means the newest card that "
        "it touches.",
    ),
    Example(
        "Good touch",
        1,
        "Touch only cards that will be played: not dead ones, and no second copy of a card. So a "
        "touched card is never taken for one that is on the fireworks already.",
        2,
        f"{CALM} y4 r1 g4 b1 b1",
        ("hint 1 r",),
        "Bob holds three 1s, but two of them are the same card. Which hint touches only cards that "
        "will be played?",
        "That hint touches no playable card, or it touches blue 1 twice: the second copy would "
        "never be played.",
    ),
    Example(
        "Saves",
        1,
        "A hint that touches the chop may also save it: a 5 by its rank, or another card of which "
        "this is the last copy. Saving the next player's chop comes before everything else.",
        2,
        f"{CALM} r5 g4 b4 w4 y3",
        ("hint 1 5",),
        "Red 5 is on Bob's chop, and there is only one copy of it. Which hint saves it?",
        "Bob will discard his oldest card next, and it is the only red 5. A rank saves a 5.",
    ),
    Example(
        "Trust and repair",
        1,
        "Players make mistakes. A conclusion is dropped as soon as a hint contradicts it, and a "
        "partner who breaks too many conventions is taken literally.",
        3,
        f"{CALM} g4 b4 w4 b3 y3 g3 b4 w4 y4 r4",
        ("hint 2 r", "hint 2 4", "discard 0"),
        "Alice's red hint seemed to promise red 1. Now Bob has told you that the card is a 4, and "
        "no hint token is left. What do you do?",
        "Slot 1 is red and a 4, so it is red 4 and does not fit: what Alice's hint promised was "
        "wrong.",
        tokens=2,
    ),
    Example(
        "Twos",
        1,
        "A rank hint also saves a 2 on the chop, if no other copy is in sight.",
        2,
        f"{CALM} r2 g4 b4 w4 y3",
        ("hint 1 2",),
        "Red 2 is on Bob's chop, and you do not see the other copy. Which hint saves it?",
        "Bob will discard his oldest card next. A 2 is saved by its rank: a suit would say “play”.",
    ),
    Example(
        "Delayed plays",
        1,
        "A play hint may count on plays that everyone expects: Cathy will play her red 1 first, so "
        "a red hint to Alice says red 2.",
        3,
        "y3 g3 b3 w3 r2 g4 b4 w4 r4 y3 b4 w4 y4 g4 r1",
        ("hint 2 1", "hint 0 r"),
        "Everyone knows that Cathy will play her red 1. Which hint lets Alice play her red 2 right "
        "after it?",
        "Cathy plays before Alice, so Alice's red 2 will fit on her turn: point at it.",
    ),
    Example(
        "Silence",
        1,
        "If the next player's chop is critical, the player before saves it. If that player does "
        "anything else, the chop is not critical and can be discarded.",
        3,
        f"{CALM} g4 b4 w4 r4 y3 r5 b4 w4 g3 r4",
        ("hint 2 5", "discard 0"),
        "Alice saved Cathy's 5 and gave you no hint. What does that say about your chop, and what "
        "do you do?",
        "Alice acts right before you and left your chop alone, so it is not critical.",
    ),
    Example(
        "Fix hints",
        3,
        "If the next player is about to play a card that does not fit, say what it is.",
        3,
        f"{CALM} g4 b4 w4 g1 y3 g3 b4 w4 y4 r4",
        ("hint 2 r", "hint 2 4"),
        "Cathy takes Alice's red hint as “play” and will play her red 4, which does not fit. Which "
        "hint stops her?",
        "Cathy acts next and takes slot 1 for red 1. Only its rank tells her that it is not.",
    ),
    Example(
        "Finesses and prompts",
        1,
        "Red 2 is hinted one card too early. Bob, who acts before Cathy, must hold red 1: he plays "
        "the newest touched card that it may be (a prompt), or else his newest card, unseen (a "
        "finesse). Cathy waits until he has acted.",
        3,
        f"{CALM} g4 b4 w4 r4 r1 b4 w4 r4 y3 r2",
        ("hint 2 r", "play 4"),
        "Alice told Cathy red. You see that it points at red 2, although nobody has played red 1. "
        "What do you do?",
        "Cathy would misplay her red 2, unless red 1 comes first. Alice must see it in your hand: "
        "none of your cards was hinted, so it is the newest.",
    ),
    Example(
        "Reverse finesses",
        2,
        "Cathy acts after Bob and can be called all the same. Bob sees her red 1, so his red card "
        "may be red 2: he does not play it yet. If Cathy does not play it, his card is red 1.",
        3,
        f"{CALM} b4 w4 r4 y3 r2 g4 b4 w4 r4 r1",
        ("hint 1 r", "discard 0", "play 4"),
        "Alice told Bob red, and Bob discarded. You see that the hint points at red 2, although "
        "nobody has played red 1. What do you do?",
        "Bob waits for red 1, and Alice must see it in your hand: none of your cards was hinted, "
        "so it is the newest.",
    ),
    Example(
        "Self finesses",
        2,
        "A hint to you comes one card too early, and it is no save. If nobody else could answer, "
        "the card before it is your own newest card without a hint. Play that one first.",
        3,
        "y3 b3 w3 y4 w4 b4 w4 r4 y4 b3 g4 b4 r4 g3 g1 g2 r3",
        ("hint 2 1", "hint 0 4", "play 4", "hint 2 3", "discard 0", "play 4"),
        "Green 1 is on the table, and no 3 fits yet. Still Alice told you which card is a 3. You "
        "see no green 2 in Bob's hand. What do you do?",
        "The 3 can only be green: it fits after green 2. Bob does not hold that card, so Alice "
        "must see it in your hand, as the newest one without a hint.",
    ),
    Example(
        "Double finesses",
        2,
        "Red 3 is hinted two cards too early. Bob must hold red 1 and Cathy red 2: both play it as "
        "they would answer a single finesse, one after the other. Donald waits for both.",
        4,
        "y3 g3 b3 w3 g4 b4 w4 r1 b4 w4 y4 r2 g4 y4 w3 r3",
        ("hint 3 r", "play 3", "play 3"),
        "Alice told Donald red, which points at red 3. Bob then played red 1 without a hint. What "
        "do you do?",
        "Red 2 is still missing before Donald's red 3. Alice must see it in your hand: none of "
        "your cards was hinted, so it is the newest.",
    ),
    Example(
        "Layered finesses",
        5,
        "Red 2 is hinted one card too early, and Cathy's newest card is not red 1 but another one "
        "that fits: a layer. She plays it, sees that it was not red 1, and goes on with the next "
        "card. Donald waits until red 1 has come.",
        4,
        "y3 g3 w3 y5 b4 w4 g5 y4 b4 w4 r1 g1 g4 y4 w3 r2 r4 g3",
        (
            *("hint 3 r", "discard 0", "play 3", "hint 1 5", "discard 0", "hint 0 5"),
            "play 2",
        ),
        "Alice told Donald red, which points at red 2. You then played your newest card, but it "
        "was green 1, and Donald still waits. What do you do?",
        "Red 1 is still missing, and Alice must see it in your hand: behind green 1 comes the next "
        "card without a hint. The card that you drew does not count.",
    ),
    Example(
        "Hidden finesses",
        5,
        "Red 2 is hinted one card too early, and a touched card of Cathy's may be red 1: she plays "
        "it, as for a prompt. It fits, but is another 1. So red 1 is her newest card without a "
        "hint, and she plays it next.",
        4,
        "y3 g3 w3 y5 b3 b4 w4 g5 b4 w4 b1 g1 g4 y4 w3 r2 y4 r1 r4",
        (
            *("hint 2 1", "discard 0", "play 2", "hint 1 5", "hint 3 r", "hint 0 5", "play 2"),
            *("discard 0", "discard 0", "discard 0", "play 2"),
        ),
        "Alice told Donald red, which points at red 2. Your other 1 might have been red 1: you "
        "played it, but it was green 1. What do you do now?",
        "Red 1 is still missing, and none of your other cards was hinted: it is the newest card "
        "that you had when the hint was given.",
    ),
    Example(
        "Double discards",
        9,
        "If the player before you discarded a card of which one copy is left, that copy may be on "
        "your chop: give a hint rather than discard.",
        3,
        "r2 r1 g5 g1 w2 g4 y4 b4 g1 y5 w2 y2 b1 w1 g1 g2 r4",
        ("hint 2 1", "hint 0 w", "play 2", "discard 0", "hint 0 1"),
        "Alice has just discarded a red 2, so one copy is left. It may be on your chop. Which hint "
        "do you give instead of discarding?",
        "Do not discard now, and tell Alice what she can play.",
        tokens=3,
    ),
    Example(
        "Positional discards",
        8,
        "With at most three cards to draw, a discard that nobody expects, of a card without a hint "
        "that is not the chop, names a place, counted from the newest card: another player holds a "
        "card there that can be played.",
        5,
        "r3 b3 y4 w4 b2 g3 y1 b3 w1 y4 g2 g2 r2 r4 g5 g4 w2 g1 y2 g1 b2 r3 r5 w1 r2 y1 b1 r4 w4 b4 "
        "w3 y1 g4 g1 y3 w5 y2 b1 y5 g3 y3 w2 w3 r1 b4 b1 r1 w1",
        (
            *("hint 2 g", "hint 2 w", "play 0", "discard 0", "play 3", "hint 4 w", "discard 0"),
            *("play 2", "hint 1 y", "play 0", "discard 0", "discard 1", "hint 0 1", "hint 1 g"),
            *("play 3", "play 3", "play 0", "play 1", "discard 0", "hint 0 w", "discard 0"),
            *("play 3", "hint 3 4", "play 3", "discard 0", "hint 1 y", "discard 0", "hint 3 g"),
            *("play 0", "play 3", "play 1", "play 2", "discard 0", "hint 2 b", "hint 0 y"),
            *("play 0", "discard 0", "play 0", "hint 0 3", "discard 0", "hint 3 5", "discard 2"),
        ),
        "No hint token is left, and three cards are left to draw. Donald's second newest card is "
        "white 5: it fits, but he only knows that it is a 5. What do you do?",
        "Nobody expects you to discard your second newest card: it tells Donald to play his. Your "
        "chop would tell him nothing.",
        tokens=2,
    ),
    Example(
        "Locked hand saves",
        9,
        "A player whose cards are all touched, and who has nothing to play, must not discard. "
        "Such a player may save any card on a chop; the hint does not say that it can be played.",
        3,
        "r4 b4 b4 w4 w3 y4 g4 y5 w5 r5 g3 b3 r4 w4 r1 y3",
        ("hint 1 4", "hint 2 1", "play 4", "hint 1 5", "hint 2 3"),
        "All your cards are 4s and 5s, and none of them fits. Cathy's oldest cards are green 3 and "
        "blue 3. What do you do rather than discard?",
        "You have no chop. Cathy knows that, and will keep whatever you touch on hers: save both "
        "3s.",
    ),
    Example(
        "Full token saves",
        9,
        "With all hint tokens there a discard is not allowed. A player who has nothing to play may "
        "then save any card but the newest; the hint does not say that it can be played. The first "
        "hints of a game are not meant.",
        3,
        "y3 g3 b3 w3 g3 b4 g2 w2 y3 r1 g2 y4 r4 y4 r4 g4 b4",
        ("hint 1 r", "play 4", "discard 0", "hint 1 2"),
        "All hint tokens are there, so you cannot discard. Cathy has just discarded a green 2, and "
        "Bob holds the other one. Which hint do you give?",
        "Bob sees that you cannot discard, so he will not take a 2 for red 2. Save both of his 2s.",
        tokens=4,
    ),
    Example(
        "Fill in hints",
        9,
        "A player who must not discard may also repeat what others know: without a new card, the "
        "hint says no more than its words.",
        3,
        "y5 g4 b3 w3 y4 g3 b4 w4 y3 b3 y4 r4 g3 b4 r1 w3 w4 w1",
        ("hint 2 r", "hint 0 5", "play 4", "discard 1", "hint 2 r", "discard 0"),
        "Alice discarded green 4, and the other one may be on Bob's chop, so he did not discard. "
        "He told you red again, which touches no new card. What do you do?",
        "Bob had to give some hint: this one does not promise that your red card fits.",
        tokens=4,
    ),
    Example(
        "Stall table",
        9,
        "Stalls have an order: first hints that play or save, then a hint that touches a 5, then "
        "one that hurries a card on, then fill-ins and saves of any card, and last a hint that "
        "says nothing. If a player who must not discard passes over a hint that comes first, the "
        "hint is no stall and has its usual meaning.",
        3,
        "r4 b4 b4 g5 w3 y4 g4 y5 w5 r5 r2 b3 y3 w4 r1 g3",
        ("hint 1 4", "hint 2 1", "play 4", "hint 1 5", "hint 2 r", "play 0"),
        "All of Bob's cards are touched, so he must not discard and may save any card on your "
        "chop. Now he has told you red, which touches your chop. But you see a 5 without a hint in "
        "Alice's hand. What do you do?",
        "Had Bob only wanted to pass the time, he would have told Alice about her 5. So his hint "
        "is no stall: it says that red 2 can be played.",
    ),
    Example(
        "Gentleman's discards",
        10,
        "If you discard a card that everyone knows to be playable, you see a copy of it: it is the "
        "newest card without a hint of another player, who plays it. That wins a hint token.",
        3,
        "y3 g3 b3 w3 r1 g4 b4 w4 y3 r1 b4 w4 y4 g3 r4",
        ("hint 1 r", "discard 4"),
        "Alice told you red, so you hold red 1, and everyone knows it. But Alice's newest card is "
        "red 1, too. What do you do?",
        "If you play red 1, Alice is left with a dead card. Discard yours, and Alice plays hers.",
    ),
    Example(
        "Bluffs",
        11,
        "The player right after the giver answers a call with the newest card, whatever it is. So "
        "the hint may be a bluff: that card fits, but it is not the one that was missing. Cathy "
        "sees green 1 instead of red 1, and knows that her red card is red 2 and has to wait.",
        3,
        f"{CALM} g4 b4 w4 r4 g1 b4 w4 r4 y3 r2",
        ("hint 2 r", "play 4"),
        "Alice told Cathy red. You see that it points at red 2, although nobody has played red 1. "
        "What do you do?",
        "It is a finesse or a bluff: either way your newest card fits.",
    ),
    Example(
        "Five stalls",
        2,
        "As long as nobody has discarded, a 5 may be touched anywhere in a hand: that costs a "
        "hint token, but no card is lost. It says nothing more.",
        3,
        "r3 b1 r4 y5 r5 w3 y4 b3 w4 r4 b1 g2 b1 g1 g3",
        ("hint 2 1", "hint 0 5"),
        "Nobody has discarded yet, and you know none of your cards. What do you do instead of "
        "discarding?",
        "Until the first discard, a hint that touches a 5 loses nothing. Alice holds two of them.",
    ),
    Example(
        "Sarcastic discards",
        3,
        "Two hands hold a copy of the same card, and both copies were touched. If you know yours, "
        "discard it while it is still needed: then your partner knows what theirs is.",
        2,
        "y2 g3 b3 w3 b4 y2 g4 b4 w4 r4",
        ("hint 1 2", "hint 0 2", "hint 1 y", "discard 0"),
        "Alice saved your 2, you saved hers, and now she has told you that yours is yellow. You "
        "see that hers is yellow 2 as well. What do you do?",
        "You know your yellow 2, and only one is needed. Discard it: it is not dead, so Alice "
        "concludes that she holds the other one.",
        tokens=4,
    ),
    Example(
        "Order of ones",
        3,
        "Several 1s are played from the oldest to the newest. But 1s that were drawn after the "
        "deal come first, and before them a 1 that was the chop when the hint touched it.",
        3,
        f"{CALM} y4 r1 g1 b4 w4 g4 b4 w4 y3 r4 b1 r4",
        ("hint 1 1", "play 1", "hint 1 1", "discard 0", "play 4"),
        "You have played the older one of your two 1s. Then you drew a card, and Cathy told you "
        "that it is a 1 as well. Which card do you play?",
        "Both 1s can be played. The one that you have drawn since the deal comes first.",
    ),
    Example(
        "Tempo hints",
        6,
        "A hint that touches no new card says that one of those cards can be played now: the "
        "newest one that may fit.",
        2,
        f"{CALM} y4 b4 r2 g4 r1 w4",
        ("hint 1 r", "play 4", "hint 1 r", "play 2"),
        "You have played red 1. Alice tells you red again, which touches no new card. What do you "
        "do?",
        "Alice repeats herself for a reason: your other red card fits now.",
    ),
    Example(
        "Tempo chop moves",
        6,
        "A tempo hint for a single card that a prompt would find as well costs a token for little. "
        "So it says something more: the chop is kept as if it had been touched. That does not hold "
        "if the player who gave it could not discard.",
        2,
        "r1 g3 b3 w3 y4 b2 g4 r2 b4 r1 w4 y3 w3",
        ("hint 1 r", "play 4", "hint 1 r", "play 2", "discard 0", "discard 1"),
        "Alice told you red twice, and you played red 1 and red 2. The second hint touched no new "
        "card. You have nothing to play now. Which card do you discard?",
        "Your red 2 could have waited for a prompt. So the second hint also moved your chop: keep "
        "the oldest card, and discard the next one.",
    ),
    Example(
        "Five chop moves",
        4,
        "A rank hint that touches a 5 right after the chop also saves the chop: that card is kept "
        "as if it had been touched.",
        3,
        "b2 y5 g3 w3 y4 g4 b4 w4 y3 r1 b4 w4 y4 g3 r4 w3",
        ("hint 1 r", "play 4", "hint 0 5"),
        "Blue 2 is on Alice's chop, and right after it comes yellow 5. Which hint saves both?",
        "That hint leaves blue 2 or yellow 5 on Alice's chop.",
    ),
    Example(
        "Trash chop moves",
        4,
        "A hint that touches only dead cards for the first time has another purpose: all cards "
        "that are older than those are kept as if they had been touched.",
        2,
        "b1 y1 r1 b3 r4 y4 b1 g1 b4 b2 w3 w1 w4 w1 y1 b5 g2 r3 w3 b2 r1",
        (
            *("hint 1 1", "play 1", "hint 1 b", "play 1", "hint 1 w", "play 4", "discard 0"),
            *("play 2", "hint 1 1", "play 4", "discard 0", "hint 0 r", "play 0", "hint 0 3"),
            *("play 0", "hint 0 g", "play 2", "discard 0", "hint 1 1"),
        ),
        "All 1s have been played, and Bob has just drawn another one. His other cards are useful. "
        "Which hint keeps them all?",
        "That hint keeps fewer of Bob's cards: a hint that touches only his dead red 1 keeps all "
        "that are older.",
    ),
    Example(
        "Scream discards",
        7,
        "Without a hint token nobody can save. A player who is known to have a play discards "
        "instead, which says to the next player: your chop is critical, keep it.",
        3,
        f"{CALM} g4 b4 w4 y3 r1 r5 b4 w4 r4 y4",
        ("hint 1 r", "discard 0"),
        "You can play red 1, and everyone knows it. But no hint token is left, and red 5 is on "
        "Cathy's chop. What do you do?",
        "If you play, Cathy discards her red 5. A discard by a player who could play is a warning.",
        tokens=1,
    ),
    Example(
        "Shout discards",
        7,
        "If you are known to have a play and throw away a card that everyone knows to be dead, you "
        "say the same, even with hint tokens left: the next player's chop is critical.",
        3,
        "r1 y1 y1 b1 b3 r3 r3 r1 r1 g3 y4 g3 w3 b4 g1 w1 w4 y3 b4 w3",
        (
            *("hint 2 g", "hint 0 1", "play 4", "play 0", "hint 2 w", "play 4", "play 0"),
            *("discard 0", "hint 0 y", "discard 0"),
        ),
        "You know that you hold a dead yellow 1 and a blue 1 that fits. Bob has discarded red 3, "
        "and the other one is on his chop; red and 3 would both touch useless cards. What do you "
        "do?",
        "Blue 1 can wait, and no hint saves red 3 cleanly. Everyone expects you to play, so your "
        "discard of a dead card is a warning.",
        tokens=4,
    ),
    Example(
        "Burning",
        8,
        "When hardly more draws are left than plays, a hint that says little is better than a "
        "discard.",
        2,
        "g3 b4 b1 b1 b5 y1 r5 r2 w2 g2 w4 w1 g1 b1 r3 y1 g1 g3 r4 r1 g2 r1 w3 y1 b3 w2 w3 b4 y5 "
        "g4 w1 y3 g1 w1 y4 g5 w5",
        (
            *("hint 1 y", "play 0", "hint 1 5", "discard 1", "hint 1 1", "play 4", "discard 0"),
            *("hint 0 1", "play 4", "discard 1", "hint 1 2", "discard 2", "hint 1 1", "play 2"),
            *("discard 0", "hint 0 5", "discard 3", "hint 0 1", "discard 3", "discard 2", "play 3"),
            *("play 1", "hint 1 g", "play 2", "discard 0", "hint 0 w", "play 4", "discard 1"),
            *("hint 1 5", "discard 1", "hint 1 5", "hint 0 w", "play 4", "discard 1", "discard 0"),
            *("hint 0 4", "play 3", "discard 1", "hint 1 b", "hint 0 3", "discard 2", "hint 0 b"),
            *("discard 1", "hint 0 5", "play 4", "hint 0 5"),
        ),
        "14 cards are missing for a perfect score, and 13 are left to draw: only one more draw may "
        "pass without a play. None of Alice's cards fits now. Which hint do you give rather than "
        "discard?",
        "A discard draws a card, and time is short. A rank that shows Alice her new 5 does no "
        "harm; other hints mislead her or say nothing.",
        tokens=2,
    ),
)
