"""A program that keeps its secrets with the Python library `keyring`, in the Secret Service on the session bus.

    keyring_client.py get <service> <user>       prints the secret, or ends with 1 when there is none
    keyring_client.py set <service> <user>       stores what comes on the standard input
    keyring_client.py delete <service> <user>
    keyring_client.py count <service> <user> <n>  stores 1, 2 … n, one after the other
"""

import sys

import secretstorage
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from keyring.backends.SecretService import Keyring

SERVICE = DBusAddress("/org/freedesktop/secrets", "org.freedesktop.secrets", "org.freedesktop.Secret.Service")


def open_known_connection(bus="SESSION"):
    # jeepney gives the bus one second to let it in, which a busy machine does not always keep.
    connection = open_dbus_connection(bus, auth_timeout=600)
    # secretstorage begins with a property, and may end gnome-keyring so (see forgetful_service.py). Whatever comes first
    # makes the caller known.
    connection.send_and_get_reply(new_method_call(SERVICE, "ReadAlias", "s", ("default",)))
    return connection


secretstorage.open_dbus_connection = open_known_connection

command, service, user, *rest = sys.argv[1:]
keyring = Keyring()
if command == "get":
    secret = keyring.get_password(service, user)
    if secret is None:
        sys.exit(1)
    sys.stdout.write(secret)
elif command == "set":
    keyring.set_password(service, user, sys.stdin.read())
elif command == "delete":
    keyring.delete_password(service, user)
elif command == "count":
    for number in range(1, int(rest[0]) + 1):
        keyring.set_password(service, user, str(number))
else:
    sys.exit(__doc__)
