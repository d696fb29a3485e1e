"""Stands in for xdg-desktop-portal and does what none should: what its argument says to each RetrieveSecret.

    nothing      answers that the secret is written, and writes none
    short        writes 31 bytes
    long         writes 64 KiB and one byte
    slow         writes 16 bytes, answers, and writes another 16 then
    dismissed    answers that the user closed the question
    unknown      answers with a number that means nothing
    elsewhere    puts the request at another path
    silent       takes the request and does not answer
    ends         takes the request and ends
    refused      refuses the caller

It prints "ready", and "asked" for each request.
"""

import os
import sys

from jeepney import DBusAddress, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

REQUEST = "/org/freedesktop/portal/desktop/request"


def main(manner):
    bus = open_dbus_connection(auth_timeout=600, enable_fds=True)
    bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop", 4))
    print("ready", flush=True)
    kept = []
    while True:
        message = bus.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        fields = {field.name: value for field, value in message.header.fields.items()}
        if fields["member"] != "RetrieveSecret":
            continue
        print("asked", flush=True)
        if manner == "refused":
            bus.send(new_error(message, "org.freedesktop.DBus.Error.AccessDenied", "s", ("Portal operation not allowed",)))
            continue
        pipe, options = message.body
        sender = fields["sender"][1:].replace(".", "_")
        path = f"{REQUEST}/{sender}/{options['handle_token'][1]}"
        if manner == "elsewhere":
            path += "1"

        def respond(number):
            signal = new_signal(DBusAddress(path, interface="org.freedesktop.portal.Request"), "Response", "ua{sv}", (number, {}))
            bus.send(signal)

        bus.send(new_method_return(message, "o", (path,)))
        if manner == "silent":
            kept.append(pipe)
            continue
        if manner == "ends":
            sys.exit()
        with open(pipe.to_raw_fd(), "wb", buffering=0) as file:
            if manner in ("dismissed", "unknown"):
                respond(1 if manner == "dismissed" else 7)
            elif manner == "long":
                try:
                    rest = bytes(65537)
                    while rest:
                        rest = rest[file.write(rest) :]
                except BrokenPipeError:
                    pass  # nobody wants so much
                respond(0)
            else:
                file.write(bytes({"short": 31, "slow": 16}.get(manner, 0)))
                respond(0)
                if manner == "slow":
                    file.write(bytes(16))


main(*sys.argv[1:])
