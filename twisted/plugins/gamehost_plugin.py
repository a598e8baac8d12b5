"""Makes `twistd gamehost` and `twist gamehost` known."""

from twisted.application.service import ServiceMaker

gamehost = ServiceMaker(
    "gamehost",
    "gamehost.tap",
    "A host for documented game protocols: several games and wire formats, one lobby.",
    "gamehost",
)
