"""Explains in one sentence for beginners why an action of Eriantys is good."""

from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.eriantys import events, rules


def because(view: events.Situation, seat: Seat, actions: Sequence[events.Action]) -> str:
    """Returns one sentence with the reason why these actions are good."""
    board, action = view.board, actions[0]
    match action:
        case events.ChooseTower():
            return "All teams are equal."
        case events.ChooseWizard():
            return "All wizards are equal."
    if board is None:
        return "It leads on."
    match action:
        case events.PlayAssistant(assistant):
            steps = rules.steps_of(assistant)
            if assistant <= 4:
                return f"A low value acts first; Mother Nature walks up to {steps} then."
            return f"A high value lets Mother Nature walk up to {steps} steps."
        case events.ChooseStudent(colour) if colour is not None:
            place = (
                # A student may come with its destination as the second action. 0 is the dining room.
                actions[1].destination if len(actions) > 1 and isinstance(actions[1], events.ChooseDestination) else 0
            )
            return _student(board, seat, colour, place)
        case events.ChooseDestination(place):
            return _student(board, seat, view.picked, place)
        case events.ChooseSteps(steps):
            return _steps(board, seat, steps)
        case events.ChooseCloud(cloud):
            wanted = [
                colour for colour in rules.Colour if board.clouds[cloud][colour] and board.professors[colour] == seat
            ]
            return "It has students of a professor that you hold." if wanted else "Its students are of most use to you."
        case events.UseCharacter():
            return "Its effect is worth more than its coins now."
    return "It leads on."


def _student(board: events.Board, seat: Seat, colour: rules.Colour | None, place: int) -> str:
    """Returns the reason for moving a student of this colour to the dining room (0) or to an island."""
    if colour is None:
        return "It leads on."  # the chosen student is not known
    name = colour.name.lower()
    if place:
        if board.professors[colour] == seat:
            return f"You hold the {name} professor: each {name} student there counts for you."
        return f"Island {place} is a good place for a student that you need less."
    # From here on, the student goes to the dining room.
    before = board.schools[seat].dining[colour]
    if board.professors[colour] == seat:
        return f"It defends your {name} professor."
    most = max(school.dining[colour] for number, school in enumerate(board.schools) if number != seat)
    if before + 1 > most:
        return f"You have the most {name} students then, and get the {name} professor."
    return f"It brings you nearer to the {name} professor."


def _steps(board: events.Board, seat: Seat, steps: int) -> str:
    """Returns the reason for this number of steps of Mother Nature."""
    # A board counts islands from 1.
    place = (board.mother_nature - 1 + steps) % len(board.islands)
    island = board.islands[place]
    # Only students of a professor that this seat has give influence.
    held = sum(island.students[colour] for colour in rules.Colour if board.professors[colour] == seat)
    mine = board.schools[seat].tower
    if island.tower == mine:
        return "The island is yours already, and stays so."
    if held and island.tower is None:
        return f"Your professors count {held} students there: you build a tower."
    if held:
        return "You have more influence there, and replace the enemy's towers."
    return "On the other islands in reach somebody else would win more."
