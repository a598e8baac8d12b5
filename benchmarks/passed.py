"""Which functions of the host a piece of work passes. Nothing but that is imported: a host that is started may be traced."""

from collections import Counter
from collections.abc import Callable, Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from attrs import define, field, frozen

PACKAGE = str(Path(__file__).parents[1] / "gamehost")
#: What stands for the network and for the other programs.
NOT_COUNTED = PACKAGE + "/testing"


@frozen
class Way:
    """What one move passes."""

    #: Calls a move of each function that at least every second move passes, by its file and its name.
    calls: dict[tuple[str, str], float]
    #: Steps of the interpreter a move, by the same; of all functions.
    steps: dict[tuple[str, str], float]

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.calls}


@define(eq=False)
class Count:
    """Counts calls and steps in all threads that begin after it."""

    calls: Counter[CodeType] = field(factory=Counter)
    steps: Counter[CodeType] = field(factory=Counter)
    on: bool = False
    #: Whether steps are counted, too, which takes ten times as long.
    with_steps: bool = True
    #: Folders of the package that are not counted.
    left_out: Sequence[str] = ()

    def trace(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """For `sys.settrace`."""
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_filename.startswith(NOT_COUNTED):
            return None
        if code.co_filename.startswith(tuple(f"{PACKAGE}/{folder}" for folder in self.left_out)):
            return None
        if not self.with_steps:
            self.calls[code] += self.on and bool(code.co_flags & CO_OPTIMIZED)  # the body of a class is no function
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        self.calls[code] += self.on

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            self.steps[code] += self.on and event == "opcode"
            return step

        return step

    def per_move(self, moves: int) -> Way:
        calls, steps = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for counted, found in ((calls, self.calls), (steps, self.steps)):
            for code, number in found.items():
                counted[str(Path(code.co_filename).relative_to(PACKAGE)), code.co_qualname] += number
        return Way(
            {one: number / moves for one, number in calls.items() if number * 2 >= moves},
            {one: number / moves for one, number in steps.items()},
        )
