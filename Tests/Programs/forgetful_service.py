"""A Secret Service, open and empty, that does not yet know whoever asks it for the first time.

Now and then gnome-keyring 42.1 serves the first call of a connection before it has noted that there is a new caller. Then
it finds no collection, calls a search a method that it does not have, and ends itself when it is asked for a property
(Debian's bug 1147303). This one always does.
"""

import sys

from jeepney import MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

COLLECTION = "/org/freedesktop/secrets/collection/login"


def main():
    bus = open_dbus_connection(auth_timeout=600)
    bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets", 4))
    known = set()
    while True:
        message = bus.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        fields = {field.name: value for field, value in message.header.fields.items()}
        is_known, member = fields["sender"] in known, fields["member"]
        known.add(fields["sender"])
        if member == "ReadAlias":
            reply = new_method_return(message, "o", (COLLECTION if is_known else "/",))
        elif member in ("Get", "OpenSession") and not is_known:
            sys.exit(f"asked for {member} first")
        elif member == "Get":
            values = {"Label": ("s", "Login"), "Locked": ("b", False)}
            reply = new_method_return(message, "v", (values[message.body[1]],))
        elif member == "SearchItems" and is_known:
            reply = new_method_return(message, "aoao", ([], []))
        else:
            reply = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "s", (f"Method {member} is not implemented",))
        bus.send(reply)


main()
