"""
Environments of PettingZoo for the games. One agent acts after the other (AEC).

Agents are `player_0` and so on, by seat. An observation has `observation` and `action_mask`. Rewards come at the end of
a match: 1 for each winner, -1 for the others, 0 for all after a draw. If several seats may act at the same time, the
lowest seat acts first. There are no time limits.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from gamehost.entries import imported
from gamehost.extras.learn.encoding import GenericEncoder, SeatEncoder
from gamehost.games.base import Game, GameMaster, IllegalAction, Seat
from gamehost.games.installed import installed
from gamehost.games.play import messages_of, screen_of, seats_to_act
from gamehost.games.screen import Style
from gamehost.players.base import SeededChance
from gamehost.settings import Settings

#: The encoders of games. For other games, the generic encoder is used.
_ENCODERS: Mapping[str, str] = {
    "onitama": "gamehost.extras.learn.onitama:OnitamaEncoder",
    "paper-soccer": "gamehost.extras.learn.paper_soccer:PaperSoccerEncoder",
    "stratego": "gamehost.extras.learn.stratego:StrategoEncoder",
    "eriantys": "gamehost.extras.learn.eriantys:EriantysEncoder",
}


def encoder(game: str, seat: int, seats: int, settings: Settings | None = None, generic: bool = False) -> SeatEncoder:
    """
    Makes the encoder of a seat of a match.

    :param game: the name of an installed game
    :param seats: the number of seats of the match
    :param settings: the settings of the match; `None`: the default ones
    :param generic: whether to use the generic encoder, even if the game has an encoder of its own
    :raises ValueError: there is no such game, or it has no messages
    """
    where = None if generic else _ENCODERS.get(game)
    made: SeatEncoder = (imported(where) if where else GenericEncoder)(game_named(game), seat, seats, settings or {})
    return made


def game_named(name: str) -> Game[Any, Any]:
    """
    Returns the installed game with a name.

    :raises ValueError: there is no such game
    """
    games = installed().games
    if name not in games:
        raise ValueError(f"there is no game {name!r}; expected one of {', '.join(games)}")
    return games[name]


def env(
    name: str, seats: int = 2, settings: Mapping[str, Any] | None = None, most: int = 2000, generic: bool = False
) -> Any:
    """
    Makes an environment for a game, with PettingZoo's wrappers. An agent that takes an illegal action loses.

    :param name: the name of an installed game
    :param seats: the number of players
    :param settings: the settings of the match, such as `{"expert": "yes"}`; `None`: the default ones
    :param most: a match is cut off after this number of actions
    :param generic: whether to use the generic encoder, even if the game has an encoder of its own
    :raises ValueError: there is no game `name`, or the game cannot be played by `seats` players
    :raises BadOption: a setting is unknown or cannot be used
    """
    # -1 is the reward for an illegal action: a defeat.
    wrapped = TerminateIllegalWrapper(raw_env(name, seats, settings, most, generic), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv):
    """An environment without wrappers: an illegal action raises `ValueError`. The parameters are those of `env`."""

    def __init__(
        self,
        name: str,
        seats: int = 2,
        settings: Mapping[str, Any] | None = None,
        most: int = 2000,
        generic: bool = False,
    ) -> None:
        """Makes an environment without a match. The arguments and the errors are those of `env`."""
        super().__init__()
        self.game = game_named(name)
        if not self.game.least_seats <= seats <= self.game.most_seats:
            raise ValueError(f"{name} has {self.game.least_seats} to {self.game.most_seats} players, not {seats}")
        self._settings: Settings = {option: str(value) for option, value in (settings or {}).items()}
        # The result is not used: this raises `BadOption` if a setting is wrong.
        self.game.check(self._settings)
        self._most, self._generic = most, generic
        # An encoder only for the sizes of its arrays.
        one = encoder(name, 0, seats, self._settings, generic)
        self._messages = messages_of(self.game)
        self.metadata = {"name": f"{name}_v{one.version}", "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = "ansi"
        self.possible_agents = [f"player_{seat}" for seat in range(seats)]
        self._seat_of = {agent: Seat(seat) for seat, agent in enumerate(self.possible_agents)}
        seen = Box(one.low, one.high, one.shape, np.int8)
        mask = Box(0, 1, (one.actions,), np.int8)
        self.observation_spaces = {
            agent: Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(one.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begins a match. The same seed gives the same random events; without a seed they are different each time."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        seats = len(self.agents)
        self._encoders = [encoder(self.game.name, seat, seats, self._settings, self._generic) for seat in range(seats)]
        # Without an own `hear`, the encoders of this game need no events, and making messages of them takes time.
        self._hears = type(self._encoders[0]).hear is not SeatEncoder.hear
        chance = SeededChance(secrets.randbits(64) if seed is None else seed)
        self.master: GameMaster[Any, Any] = self.game.new_master(seats, self._settings, chance)
        self._acted = 0
        self._views: dict[Seat, Any] = {}
        #: The numbers of actions that the master has refused in this position. The encoder does not know why they are illegal,
        #: because some facts are in no message.
        self._refused: set[int] = set()
        self._tell(self.master.begin(0))
        self._choose()

    def observe(self, agent: str) -> Any:
        """Returns the observation of an agent. Its mask has ones only if the agent must act now."""
        seat = self._seat_of[agent]
        view, one = self._view(seat), self._encoders[seat]
        acts = agent == self.agent_selection and not self.terminations[agent] and not self.truncations[agent]
        mask = one.legal(view) if acts else np.zeros(one.actions, np.int8)
        # Actions that the master has refused in this position.
        mask[list(self._refused)] = 0
        return {"observation": one.see(view), "action_mask": mask}

    def step(self, action: Any) -> None:
        """
        Carries out an action of the selected agent.

        :param action: the number of the action; `None` after the end of the match
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            # PettingZoo's way to remove an agent after the end of the match.
            self._was_dead_step(action)
            return
        # Carry out the action. A number may be only a step of an action.
        seat = self._seat_of[agent]
        self._cumulative_rewards[agent] = 0
        notation = self._encoders[seat].took(int(action), self._view(seat))
        # The number completes an action.
        if notation is not None:
            self._encoders[seat].done()
            self._carry_out(seat, notation, int(action))
        # Give rewards if the match is over; otherwise select the next agent.
        self._acted += 1
        self._clear_rewards()
        if (result := self.master.result) is not None:
            for one, its in self._seat_of.items():
                if result.winners:
                    self.rewards[one] = 1 if its in result.winners else -1
                else:
                    self.rewards[one] = 0
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._acted >= self._most:
            self.truncations = dict.fromkeys(self.agents, True)
        elif notation is not None:
            # After a step of an action, the same agent must act again.
            self._choose()
        self._accumulate_rewards()

    def _carry_out(self, seat: Seat, notation: str, number: int) -> None:
        """Carries out an action by the game's rules. An action that the master refuses is removed from the mask."""
        try:
            told = self.master.act(seat, self.game.read(notation.encode()), 0)
        except IllegalAction:
            self._refused.add(number)
            return
        self._refused.clear()
        self._views.clear()
        self._tell(told)

    def render(self) -> str:
        """Returns a drawing of the match, as a watcher on the console sees it."""
        screen = screen_of(self.game)(None, self.possible_agents)
        screen.show(self.master.view(None))
        return "\n".join(screen.draw(Style(charset="ascii")))

    def close(self) -> None:
        """Does nothing: an environment has no open files or windows."""

    def _view(self, seat: Seat) -> Any:
        """Returns the view of a seat, as a message. It is made once for each position."""
        if seat not in self._views:
            assert self._messages is not None
            self._views[seat] = self._messages.view(self.master.view(seat))
        return self._views[seat]

    def _tell(self, told: Any) -> None:
        """Passes events, as messages, to the encoders of the seats that may know them."""
        if not self._hears:
            return
        assert self._messages is not None
        for to in told:
            message = self._messages.event(to.event)
            if message is not None:
                for seat in range(len(self._encoders)) if to.audience is None else to.audience:
                    self._encoders[seat].hear(message)

    def _choose(self) -> None:
        """Selects the agent that acts next."""
        seat = seats_to_act(self.game, self.master, len(self.possible_agents))[0]
        self.agent_selection = self.possible_agents[seat]
