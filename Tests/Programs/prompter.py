"""Stands in for the prompter of a desktop: answers gnome-keyring's questions on the session bus.

    prompter.py yes <password>      answers each question with the password
    prompter.py later <password>    does the same at a SIGUSR1 for each
    prompter.py no                  closes each question
    prompter.py later               does the same at a SIGUSR1 for each
    prompter.py wait                lets each question stand

It prints "ready", then "asked" for each question that is to be shown, and "stopped" for each that is taken away.
"""

import base64
import os
import signal
import sys

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from jeepney import DBusAddress, MessageType, new_method_call, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

CALLBACK = "org.gnome.keyring.internal.Prompter.Callback"

# The group of RFC 3526 with 1536 bits.
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA237327FFFFFFFFFFFFFFFF",
    16,
)


class Exchange:
    """How GCR carries a password over the bus: Diffie-Hellman, then AES."""

    def __init__(self):
        self.private = None
        self.key = None

    def receive(self, text):
        if self.key is not None:
            return
        fields = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        peer = int.from_bytes(base64.b64decode(fields["public"]), "big")
        # GCR 3.41 drops the shared number's leading zeros, so where they are kept it takes one answer in 256 for a
        # dismissal. A number without any is the same to all.
        shared = bytes(1)
        while shared[0] == 0:
            self.private = int.from_bytes(os.urandom(192), "big") % PRIME
            shared = pow(peer, self.private, PRIME).to_bytes(192, "big")
        self.key = HKDF(hashes.SHA256(), 16, None, b"").derive(shared)

    def send(self, secret):
        public = pow(2, self.private, PRIME).to_bytes(192, "big")
        text = "[sx-aes-1]\npublic=" + base64.b64encode(public).decode() + "\n"
        if secret is None:
            return text
        iv = os.urandom(16)
        padder = padding.PKCS7(128).padder()
        encryptor = Cipher(algorithms.AES(self.key), modes.CBC(iv)).encryptor()
        sealed = encryptor.update(padder.update(secret.encode()) + padder.finalize()) + encryptor.finalize()
        return f"{text}secret={base64.b64encode(sealed).decode()}\niv={base64.b64encode(iv).decode()}\n"


def main(answer, *rest):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # one that comes early is not lost
    password = rest[0] if rest else None
    bus = open_dbus_connection(auth_timeout=600)
    bus.send_and_get_reply(message_bus.RequestName("org.gnome.keyring.SystemPrompter", 4))
    print("ready", flush=True)
    exchanges = {}

    def call_back(asker, method, signature=None, body=()):
        bus.send(new_method_call(DBusAddress(asker[1], asker[0], CALLBACK), method, signature, body))

    while True:
        message = bus.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        fields = {field.name: value for field, value in message.header.fields.items()}
        bus.send(new_method_return(message))
        member = fields["member"]
        if member not in ("BeginPrompting", "PerformPrompt", "StopPrompting"):
            continue
        asker = (fields["sender"], message.body[0])
        if member == "BeginPrompting":
            exchanges[asker] = Exchange()
            call_back(asker, "PromptReady", "sa{sv}s", ("", {}, ""))
        elif member == "PerformPrompt":
            print("asked", flush=True)
            exchange = exchanges[asker]
            exchange.receive(message.body[3])
            if answer == "later":
                signal.sigwait({signal.SIGUSR1})
            if answer != "wait":
                reply = "no" if password is None else "yes"
                call_back(asker, "PromptReady", "sa{sv}s", (reply, {}, exchange.send(password)))
        else:
            print("stopped", flush=True)
            call_back(asker, "PromptDone")


main(*sys.argv[1:])
