"""The messages: what all games must do."""

from gamehost.testing.cases import PropertyCase
from gamehost.testing.messages_contract import MessagesContract
from gamehost_gomoku.messages import MESSAGES
from gamehost_gomoku.tests import test_master


class MessagesTests(MessagesContract, PropertyCase):
    """The contract plays random matches, and reads each message back."""

    messages = MESSAGES
    player = test_master.MasterTests()


del MessagesContract
