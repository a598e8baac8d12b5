"""
Speakers: for each wire, one player's side of it, and how the host words what happened, written from the wire's page alone.
"""

from collections.abc import Mapping

from tests.kit.model_clients.base import ModelClient
from tests.kit.model_clients.console import ConsoleClient
from tests.kit.model_clients.eriantys import EriantysClient
from tests.kit.model_clients.eriantys_java import EriantysJavaClient
from tests.kit.model_clients.litama import LitamaClient
from tests.kit.model_clients.onitama import OnitamaClient, OnitamaFinalClient
from tests.kit.model_clients.open import OpenClient
from tests.kit.model_clients.paper_soccer import PaperSoccerClient
from tests.kit.model_clients.stratego import FramesClient, LinesClient

#: By the wire's name.
MODEL_CLIENTS: Mapping[str, type[ModelClient]] = {
    client_model.wire: client_model
    for client_model in (
        ConsoleClient,
        OnitamaClient,
        OnitamaFinalClient,
        FramesClient,
        PaperSoccerClient,
        LinesClient,
        EriantysClient,
        EriantysJavaClient,
        OpenClient,
        LitamaClient,
    )
}
