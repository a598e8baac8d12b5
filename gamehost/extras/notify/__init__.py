"""
Notices for absent players: Web Push to browsers, and mails.

- `push`: the notifier of Web Push; `subscriptions`, `encryption` and `sending` are its parts
- `mail`: the notifier of mails; `addresses` and `relays` are its parts
- `wording`: the texts of notices
"""

from gamehost.entries import imported
from gamehost.lobby.notifiers import NotifierKind
from gamehost.settings import Setting

#: The push services of the common browsers: those of Chrome, Firefox, Safari and Edge.
HOSTS = ("fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com", "*.notify.windows.com")

PUSH = NotifierKind(
    "push",
    {
        "push": Setting(
            None,
            "Tell players by Web Push; push services reach you here: mailto:you@example.org",
            imported("gamehost.extras.notify.options:contact_of"),
            default_words="off",
        ),
        "push-hosts": Setting(
            HOSTS,
            "Push services, with commas",
            imported("gamehost.extras.notify.options:push_hosts"),
            default_words="those of Chrome, Firefox, Safari and Edge",
        ),
    },
    imported("gamehost.extras.notify.push:start"),
)

MAIL = NotifierKind(
    "mail",
    {
        "mail": Setting(
            None,
            "Tell players by mail, through this relay: smtp://[USER@]RELAY[:PORT]/SENDER",
            imported("gamehost.extras.notify.relays:relay_of"),
            default_words="off",
        ),
    },
    imported("gamehost.extras.notify.mail:start"),
)
