"""The messages of the open wire: their form on the wire, and what is refused."""

from msgspec import ValidationError, json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.open import messages as m


class MessagesTests(SynchronousTestCase):
    """Structs to JSON and back."""

    def test_clients_messages_have_do(self) -> None:
        """The tag stands under `do`, and what is unset is left out."""
        for message, text in (
            (m.Enter("ann"), '{"do":"enter","name":"ann"}'),
            (m.LogIn("ann", "secret"), '{"do":"log-in","name":"ann","password":"secret"}'),
            (m.Act(3, "tiger c1 c3", 7), '{"do":"act","table":3,"action":"tiger c1 c3","id":7}'),
            (m.Leave(), '{"do":"leave"}'),
        ):
            self.assertEqual(json.encode(message).decode(), text)
            self.assertEqual(json.decode(text, type=m.ClientMessage), message)

    def test_hosts_messages_have_is(self) -> None:
        """The tag stands under `is`. A client that reads with these structs ignores keys that it does not know."""
        over = m.Over(3, 12, [0], "rules", "master taken")
        text = '{"is":"over","table":3,"n":12,"winners":[0],"cause":"rules","why":"master taken"}'
        self.assertEqual(json.encode(over).decode(), text)
        self.assertEqual(json.decode(text[:-1] + ',"later":1}', type=m.ServerMessage), over)

    def test_secrets_are_not_shown(self) -> None:
        """A message that gets into a log shows no password and no key."""
        for message in (m.Enter("ann", "canary"), m.LogIn("ann", "canary"), m.Entered("ann", "canary")):
            self.assertNotIn("canary", repr(message))

    def test_unknown_keys_and_wrong_types_are_refused(self) -> None:
        """A client that misspells a key is told so, and is not half understood."""
        for text in (
            '{"do":"enter","name":"ann","nam":"x"}',
            '{"do":"enter","name":1}',
            '{"do":"seek","game":"onitama","seat":"third"}',
            '{"do":"act","table":-1,"action":"x"}',
            '{"do":"act","table":9007199254740992,"action":"x"}',
            '{"do":"over"}',
            '{"is":"pong"}',
            "[]",
        ):
            self.assertRaises(ValidationError, json.decode, text, type=m.ClientMessage)
