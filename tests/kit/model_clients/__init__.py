"""
Speakers: for each wire, one player's side of it, and how the host words what happened, written from the wire's page alone.

All of them take part in what is played in `tests.kit.stateful` and `tests.kit.simulation`.
"""

from collections.abc import Mapping

from tests.kit.model_clients.base import Speaker
from tests.kit.model_clients.eriantys_json import EriantysSpeaker
from tests.kit.model_clients.onitama import OnitamaSpeaker
from tests.kit.model_clients.paper_soccer import PaperSoccerSpeaker
from tests.kit.model_clients.stratego_frames import FramesSpeaker
from tests.kit.model_clients.stratego_lines import LinesSpeaker

#: By the wire's name.
SPEAKERS: Mapping[str, type[Speaker]] = {
    speaker.wire: speaker
    for speaker in (OnitamaSpeaker, FramesSpeaker, PaperSoccerSpeaker, LinesSpeaker, EriantysSpeaker)
}
