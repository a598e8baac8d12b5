"""
Speakers: for each wire, one player's side of it, and how the host words what happened, written from the wire's page alone.

All of them take part in what is played in `tests.stateful` and `tests.simulation`.
"""

from collections.abc import Mapping

from tests.speakers.base import Speaker
from tests.speakers.eriantys_json import EriantysSpeaker
from tests.speakers.onitama import OnitamaSpeaker
from tests.speakers.paper_soccer import PaperSoccerSpeaker
from tests.speakers.stratego_frames import FramesSpeaker
from tests.speakers.stratego_lines import LinesSpeaker

#: By the wire's name.
SPEAKERS: Mapping[str, type[Speaker]] = {
    speaker.wire: speaker
    for speaker in (OnitamaSpeaker, FramesSpeaker, PaperSoccerSpeaker, LinesSpeaker, EriantysSpeaker)
}
