"""Exact play with all hands visible and a draw pile in unknown order: positions and moves.

A node is a position without irrelevant detail. Cards that can never be played are all alike; a card
that can is a *type*, numbered by suit and then by rank. The draw pile is a multiset. Values are
integers: a probability, or an expected score, times the number of orders of the pile, n! for n
cards, so that they are exact.

If the draw pile ends the game and no card is played from it, two more facts keep the search small
(`docs/explanation/solver.md` proves them). A second copy of a card in one hand is as good as a dead
card. A deliberate misplay is worth considering only when no hint token is missing and discarding is
forbidden.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import Record, ints
from hanabilab.game.cards import MAX_PLAYERS

__all__ = [
    "ALWAYS",
    "AT_FULL",
    "DISCARD_DEAD",
    "DISCARD_LIVE",
    "MAX_MOVES",
    "MAX_TYPES",
    "MISPLAY_DEAD",
    "MISPLAY_LIVE",
    "NEVER",
    "NO_HINTS",
    "NO_TYPE",
    "PASSES",
    "PASS_TURN",
    "PLAY_LIVE",
    "PLAY_PILE",
    "TO_ANYBODY",
    "TO_CARDS",
    "TO_TOUCHED",
    "HiddenNode",
    "HiddenProblem",
    "apply_move",
    "can_pass",
    "ceiling",
    "copies_in_pile",
    "draw_type",
    "ended_score",
    "is_over",
    "last_round_score",
    "list_moves",
    "pass_on",
]

PLAY_LIVE, DISCARD_DEAD, PASS_TURN, DISCARD_LIVE, MISPLAY_DEAD, MISPLAY_LIVE, PLAY_PILE = range(7)
"""A move is its kind plus 8 times its type."""
NO_TYPE = 63
NEVER, AT_FULL, ALWAYS = range(3)
"""When a deliberate misplay can be useful."""
NO_HINTS, TO_TOUCHED, TO_CARDS, TO_ANYBODY, PASSES = range(5)
"""Who can be given a hint: nobody, players with cards that hints touch, those with any cards, all
others; or everyone may pass.
"""
MAX_TYPES = 62
MAX_MOVES = 40
COUNT_BITS = 4


class HiddenProblem(Record):
    """The constants of a search."""

    players: int
    types: int
    goal: int
    """The score of a perfect game."""
    win: int
    """Whether only the maximum counts; otherwise the score does."""
    max_tokens: int
    """The largest number of tokens, counted in the parts that a discard gives."""
    hint_cost: int
    hints: int
    """Who can be given a hint."""
    free_discards: int
    """Whether a card may be discarded when no hint token is missing."""
    token_for_suit: int
    deck_ends: int
    deck_plays: int
    all_or_nothing: int
    score_ends: int
    speedrun: int
    keep_score: int
    keep_on_last_turn: int
    merged: int
    """Whether a second copy in one hand counts as dead."""
    misplays: int
    """When deliberate misplays are tried."""
    last_lives: int
    """Whether even the last life may be lost deliberately."""
    harmless: int
    """Whether there is always a hint or a discard, so that nobody is forced to misplay."""
    dead_type: int
    """If hints touch only some cards, the type of dead cards that they touch; otherwise -1."""
    touched: int
    touched_bits: int
    """The types that hints touch then, and the bits of a hand that count them."""
    starts: int
    """The lowest type of each suit."""
    tops: int
    """The types that complete a suit."""
    hand_bits: int
    """The bits of a hand."""
    hand_field: list[int] = ints(MAX_TYPES)
    hand_one: list[int] = ints(MAX_TYPES)
    """The position of each type's counter in a hand, and the value of one copy."""
    pile_field: list[int] = ints(MAX_TYPES)
    pile_shift: list[int] = ints(MAX_TYPES)
    """The position of each type's counter in the pile."""
    above: list[int] = ints(MAX_TYPES)
    """Each type together with all higher ones of its suit."""
    pile_bits: int
    token_bits: int
    life_bits: int
    turn_bits: int
    count_bits: int
    """The widths of these fields in keys; 0 if they do not distinguish positions."""


class HiddenNode(Record):
    """A position of the search."""

    held: list[int] = ints(MAX_PLAYERS)
    """The live cards of each player, one counter per type."""
    counts: int
    """Cards in each hand, live or dead, four bits per player."""
    alive: int
    """The types that can still be played: a copy is left of each type and of all below it."""
    pile: int
    """The live cards in the draw pile, one counter per type."""
    pile_size: int
    score: int
    tokens: int
    lives: int
    turns_left: int
    """After the last draw, the number of turns left; -1 before it."""
    player: int


@inlined
@kernel
def playable_types(problem: HiddenProblem, alive: int) -> int:
    """Return the playable types: alive, while the one below is not."""
    return alive & ~(alive << 1 & ~problem.starts)


@kernel
def types_in(problem: HiddenProblem, held: int) -> int:
    """Return the set of types in a hand."""
    if problem.merged:
        return held
    types = 0
    for each in range(problem.types):
        types |= int(held & problem.hand_field[each] != 0) << each
    return types


@kernel
def live_in(problem: HiddenProblem, held: int) -> int:
    """Return the number of live cards in a hand."""
    if problem.merged:
        return popcount(held)
    cards = 0
    for each in range(problem.types):
        cards += (held & problem.hand_field[each]) // problem.hand_one[each]
    return cards


@inlined
@kernel
def cards_of(node: HiddenNode, player: int) -> int:
    """Return the number of cards in a player's hand."""
    return node.counts >> (COUNT_BITS * player) & ((1 << COUNT_BITS) - 1)


@inlined
@kernel
def copies_in_pile(problem: HiddenProblem, node: HiddenNode, each: int) -> int:
    """Return the number of cards of a type in the draw pile."""
    return (node.pile & problem.pile_field[each]) >> problem.pile_shift[each]


@kernel
def can_pass(problem: HiddenProblem, node: HiddenNode) -> bool:
    """Return whether the player to move can give a hint, or pass."""
    if problem.hints == NO_HINTS or node.tokens < problem.hint_cost:
        return False
    if problem.hints == TO_TOUCHED:
        return touches_others(problem, node)
    if problem.hints != TO_CARDS:
        return True
    own = ((1 << COUNT_BITS) - 1) << (COUNT_BITS * node.player)
    return node.counts & ~own != 0


@kernel
def touches_others(problem: HiddenProblem, node: HiddenNode) -> bool:
    """Return whether another player has a card that hints touch."""
    bits = 0
    for player in range(problem.players):
        if player != node.player:
            bits |= node.held[player] & problem.touched_bits
    return bits != 0


@inlined
@kernel
def discards_allowed(problem: HiddenProblem, node: HiddenNode) -> bool:
    """Return whether a card may be discarded now."""
    return problem.free_discards != 0 or node.tokens < problem.max_tokens


@kernel
def types_elsewhere(problem: HiddenProblem, node: HiddenNode) -> int:
    """Return the types of which a copy is in another hand or in the draw pile."""
    types = 0
    for player in range(problem.players):
        if player != node.player:
            types |= types_in(problem, node.held[player])
    for each in range(problem.types):
        types |= int(node.pile & problem.pile_field[each] != 0) << each
    return types


@kernel
def list_moves(problem: HiddenProblem, node: HiddenNode, moves: list[int]) -> int:
    """Write every move that the best line may need; return their number."""
    own = types_in(problem, node.held[node.player])
    playable = playable_types(problem, node.alive)
    count = add_moves(moves, 0, PLAY_LIVE, own & playable)
    discards = discards_allowed(problem, node)
    dead = cards_of(node, node.player) > live_in(problem, node.held[node.player])
    if discards and dead:
        count = add_moves(moves, count, DISCARD_DEAD, 0)
    if can_pass(problem, node):
        count = add_moves(moves, count, PASS_TURN, 0)
    spare = own
    if problem.win:  # the last copy of a needed card is never given away
        spare = spare_types(problem, node, own)
    if discards:
        count = add_moves(moves, count, DISCARD_LIVE, spare)
    if problem.deck_plays and node.pile_size == 1:
        count = add_moves(moves, count, PLAY_PILE, 0)
    useful = problem.misplays == ALWAYS or (problem.misplays == AT_FULL and not discards)
    if (node.lives > 1 and useful) or count == 0 or problem.last_lives:
        if dead:
            count = add_moves(moves, count, MISPLAY_DEAD, 0)
        count = add_moves(moves, count, MISPLAY_LIVE, spare & ~playable)
    if count == 0:  # what loses may be all that is left
        count = add_moves(moves, count, MISPLAY_LIVE, own)
    return count


@kernel
def spare_types(problem: HiddenProblem, node: HiddenNode, own: int) -> int:
    """Return the types of a hand with another copy elsewhere."""
    spare = own & types_elsewhere(problem, node)
    if problem.dead_type >= 0:
        spare |= own & 1 << problem.dead_type
    if not problem.merged:
        held = node.held[node.player]
        for each in range(problem.types):
            copies = (held & problem.hand_field[each]) // problem.hand_one[each]
            spare |= int(copies > 1) << each
    return spare


@inlined
@kernel
def add_moves(moves: list[int], count: int, kind: int, types: int) -> int:
    """Write a move of a kind for each type, or one without a type; return the new count."""
    if kind in (DISCARD_DEAD, PASS_TURN, MISPLAY_DEAD, PLAY_PILE):
        moves[count] = kind + 8 * NO_TYPE
        return count + 1
    while types:
        moves[count] = kind + 8 * lowest(types)
        count += 1
        types &= types - 1
    return count


@kernel
def apply_move(problem: HiddenProblem, node: HiddenNode, move: int) -> None:
    """Take a turn up to the draw."""
    kind = move & 7
    each = move >> 3
    if node.turns_left > 0:
        node.turns_left -= 1
    if kind == PASS_TURN:
        node.tokens -= problem.hint_cost
        return
    if kind == PLAY_PILE:
        play_from_pile(problem, node)
        return
    if node.pile_size == 0:
        node.counts -= 1 << (COUNT_BITS * node.player)
    if kind in (PLAY_LIVE, DISCARD_LIVE, MISPLAY_LIVE):
        node.held[node.player] -= problem.hand_one[each]
    if kind == PLAY_LIVE:
        play_type(problem, node, each)
        return
    if kind in (DISCARD_LIVE, MISPLAY_LIVE):
        bury_if_last(problem, node, each)
    if kind in (DISCARD_DEAD, DISCARD_LIVE):
        node.tokens = min(node.tokens + 1, problem.max_tokens)
    else:
        node.lives -= 1


@kernel
def play_from_pile(problem: HiddenProblem, node: HiddenNode) -> None:
    """Play the last card of the draw pile, which is known when all hands are."""
    fits = 0
    last = NO_TYPE
    for each in range(problem.types):
        if copies_in_pile(problem, node, each):
            last = each
            fits = playable_types(problem, node.alive) >> each & 1
    node.pile = 0
    node.pile_size = 0
    if problem.deck_ends:
        node.turns_left = problem.players
    if fits:
        play_type(problem, node, last)
        return
    node.lives -= 1
    if last != NO_TYPE:
        bury_if_last(problem, node, last)


@kernel
def play_type(problem: HiddenProblem, node: HiddenNode, each: int) -> None:
    """Play a playable card; its other copies become dead."""
    node.score += 1
    node.alive &= ~(1 << each)
    drop_type(problem, node, each)
    if problem.token_for_suit and problem.tops >> each & 1:
        node.tokens = min(node.tokens + 1, problem.max_tokens)


@inlined
@kernel
def drop_type(problem: HiddenProblem, node: HiddenNode, each: int) -> None:
    """Count all cards of a type as dead."""
    if problem.dead_type >= 0 and problem.touched >> each & 1:
        count_as_touched(problem, node, each)
    for player in range(problem.players):
        node.held[player] &= ~problem.hand_field[each]
    node.pile &= ~problem.pile_field[each]


@kernel
def count_as_touched(problem: HiddenProblem, node: HiddenNode, each: int) -> None:
    """Count all cards of a type with the dead ones that hints touch."""
    dead = problem.dead_type
    for player in range(problem.players):
        copies = (node.held[player] & problem.hand_field[each]) // problem.hand_one[each]
        node.held[player] += copies * problem.hand_one[dead]
    node.pile += copies_in_pile(problem, node, each) << problem.pile_shift[dead]


@kernel
def bury_if_last(problem: HiddenProblem, node: HiddenNode, each: int) -> None:
    """Count a type and all above it as dead if no copy of it is left."""
    left = node.pile & problem.pile_field[each]
    for player in range(problem.players):
        left |= node.held[player] & problem.hand_field[each]
    if left:
        return
    buried = node.alive & problem.above[each]
    node.alive &= ~buried
    while buried:
        drop_type(problem, node, lowest(buried))
        buried &= buried - 1


@inlined
@kernel
def draw_type(problem: HiddenProblem, node: HiddenNode, each: int) -> None:
    """Draw a card of a type, or a dead one, from the draw pile."""
    if each < problem.types:
        node.pile -= 1 << problem.pile_shift[each]
        if problem.merged:
            node.held[node.player] |= problem.hand_one[each]
        else:
            node.held[node.player] += problem.hand_one[each]
    node.pile_size -= 1
    if node.pile_size == 0 and problem.deck_ends:
        node.turns_left = problem.players


@kernel
def pass_on(problem: HiddenProblem, node: HiddenNode) -> None:
    """Pass the turn on; if the game has no end, skip players who cannot act."""
    node.player = node.player + 1 if node.player + 1 < problem.players else 0
    if problem.deck_ends or problem.all_or_nothing or node.pile_size > 0:
        return
    for _ in range(problem.players):
        if cards_of(node, node.player) > 0 or can_pass(problem, node):
            break
        node.player = node.player + 1 if node.player + 1 < problem.players else 0


@kernel
def is_over(problem: HiddenProblem, node: HiddenNode) -> bool:
    """Return whether the game is over once the turn has passed on."""
    if node.lives == 0 or node.turns_left == 0 or node.score == problem.goal:
        return True
    if problem.harmless:
        return False
    if problem.speedrun and node.score + popcount(node.alive) < problem.goal:
        return True
    if problem.score_ends and not can_score(problem, node):
        return True
    if problem.deck_ends:
        return False
    if problem.all_or_nothing:
        stuck = cards_of(node, node.player) == 0 and not can_pass(problem, node)
        return stuck or node.score + popcount(node.alive) < problem.goal
    return node.counts == 0


@kernel
def can_score(problem: HiddenProblem, node: HiddenNode) -> bool:
    """Return whether a playable type is left to draw or held by a player who still has a turn."""
    if node.turns_left < 0:
        return node.alive != 0
    held = 0
    for place in range(node.turns_left):
        held |= options_of(problem, node, node.alive, place)
    return held != 0


@kernel
def ended_score(problem: HiddenProblem, node: HiddenNode) -> int:
    """Return the value of a finished game: its score, or whether it is perfect."""
    stuck = cards_of(node, node.player) == 0 and node.tokens < problem.hint_cost
    if stuck and problem.all_or_nothing and problem.score_ends:  # as at hanab.live
        return 0
    if problem.win:
        return int(node.score == problem.goal)
    if node.lives > 0 and problem.speedrun and node.score + popcount(node.alive) < problem.goal:
        return 0
    kept = problem.keep_score or (problem.keep_on_last_turn and node.turns_left == 0)
    if node.lives == 0 and not kept:
        return 0
    return node.score


@inlined
@kernel
def ceiling(problem: HiddenProblem, node: HiddenNode, pile_size: int) -> int:
    """Return an upper bound on the value of the game with this many cards left to draw.

    No more cards can be played than there are draws plus turns of the last round.
    """
    plays = popcount(node.alive)
    if problem.speedrun and node.score + plays < problem.goal:
        return 0
    if problem.deck_ends:
        turns = node.turns_left if node.turns_left >= 0 else pile_size + problem.players
        plays = min(plays, turns)
    if problem.win:
        return int(node.score + plays >= problem.goal)
    return node.score + plays


@kernel
def last_round_score(problem: HiddenProblem, node: HiddenNode, scratch: list[list[int]]) -> int:
    """Return the value of a game from its last round on, if nobody can be forced to misplay.

    Everyone has one turn. Playing a playable card never hurts, so only the choice between several
    of them is tried both ways.
    """
    turns = node.turns_left
    most = min(popcount(node.alive), turns)
    if problem.win and node.score + most < problem.goal:
        return 0
    alive, options = scratch[0], scratch[1]
    best = 0
    place = 0
    alive[0] = node.alive
    options[0] = options_of(problem, node, node.alive, 0)
    plays = 0
    while place >= 0:
        # Every place below this one has made its choice: `alive` is what that leaves.
        plays = popcount(node.alive) - popcount(alive[place])
        if plays > best:
            best = plays
        if place == turns or plays + turns - place <= best or best == most:
            place = step_back(options, place)
            if place < 0 or best == most:
                break
        rest = alive[place]
        if options[place] > 0:
            rest &= ~(options[place] & -options[place])
            options[place] &= options[place] - 1
        place += 1
        alive[place] = rest
        options[place] = 0
        if place < turns:
            options[place] = options_of(problem, node, rest, place)
    if problem.win:
        return int(node.score + best == problem.goal)
    return node.score + best


@inlined
@kernel
def options_of(problem: HiddenProblem, node: HiddenNode, alive: int, place: int) -> int:
    """Return the playable types held by the player `place` seats on."""
    player = node.player + place
    if player >= problem.players:
        player -= problem.players
    return playable_types(problem, alive) & types_in(problem, node.held[player])


@inlined
@kernel
def step_back(options: list[int], place: int) -> int:
    """Return the last place before this one with another choice, or -1."""
    place -= 1
    while place >= 0 and options[place] == 0:
        place -= 1
    return place
