"""A Secret Service that answers as the specification says, but for the answers that it is told to give wrongly.

It reads commands from its standard input, and prints one line for each:

    be <situation> [<method>=<answer>]…    begins anew, on a new connection; prints "ready"
    asked                                  prints the methods that were answered since, sorted
    calls                                  prints how many calls came since
    wrong                                  prints how often a wrong answer was given since
    answers <method>                       prints the names of the wrong answers that there are for the method
    release                                gives the answers that were held back; prints how many
    emit                                   sends signals with wrong parameters, and such that nobody asked for; prints how many
    lock                                   locks the collection and says so; prints "locked"
    retire                                 gives its name up and has no objects any more, but stays on the bus; prints "gone"
    release-name                           gives its name up, and answers as before; prints "gone"

After the last two it answers beside the service of the next "be".
"Completed" stands for a prompt's signal. Besides the wrong answers there are "hold", which waits for "release", and
"twice", which is given two times.
"""

import os
import socket
import sys
import threading

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from jeepney import DBusAddress, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

SECRETS = "/org/freedesktop/secrets"
COLLECTION = SECRETS + "/collection/login"
SESSION = SECRETS + "/session/1"
OTHER_COLLECTION = SECRETS + "/collection/other"
PROMPT = SECRETS + "/prompt/1"
SECRET = "org.freedesktop.Secret."

# The second group of RFC 2409, with 1024 bits.
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF",
    16,
)

# Begin with one item, in an open collection, unless they say otherwise.
SITUATIONS = {
    "one": {},
    "two": {"items": 2},
    "many": {"items": 500},
    "none": {"items": 0},
    "empty-secret": {"secret": b""},
    "locked": {"locked": True},
    "asking": {"locked": True, "prompts": True},
    "plain": {"plain": True},
    "gnome-keyring": {"name": "org.gnome.keyring"},
    "open-wallet": {"locked": True, "wallet": True},
    "prompting": {"prompts": True, "name": "org.keepassxc.KeePassXC.MainWindow"},
    "prompting-none": {"items": 0, "prompts": True, "name": "org.keepassxc.KeePassXC.MainWindow"},
    "declining": {"prompts": True, "declines": (True, ("s", "")), "name": "org.keepassxc.KeePassXC.MainWindow"},
    # KeePassXC before 2.7, whatever its user answers.
    "silently-declining": {"prompts": True, "declines": (False, ("s", "")), "name": "org.keepassxc.KeePassXC.MainWindow"},
    "timing-out": {"times-out": True},
    "locked-keepassxc": {"locked": True, "name": "org.keepassxc.KeePassXC.MainWindow"},
    "other-open-keepassxc": {"locked": True, "other": True, "name": "org.keepassxc.KeePassXC.MainWindow"},
    # As a sandbox's bus shows it: without that name.
    "hidden-keepassxc": {"prompts": True, "object": "/keepassxc"},
    "locked-hidden-keepassxc": {"locked": True, "object": "/keepassxc"},
}


def nested(depth):
    return ("s", "x") if depth == 0 else ("v", nested(depth - 1))


# For any method: another type than that of every reply, or none at all.
ANY = {
    "nothing": ("", ()),
    "text": ("s", ("not a path",)),
    "texts": ("ss", ("not a path", "//")),
    "number": ("i", (-1,)),
    "numbers": ("(ii)", ((1, 2),)),
    "bytes": ("ay", (b"x" * 1_000_000,)),
    "list": ("as", (["not a path"] * 5_000,)),
    "maps": ("a{sa{sv}}", ({"x": {"y": ("s", "z")}},)),
    "nested": ("v", (nested(30),)),
}

# The same type outside, and another inside.
INSIDE = {
    "OpenSession": {
        "a-text-as-key": ("vo", (("s", "x"), SESSION)),
        "no-key": ("vo", (("ay", b""), SESSION)),
        "a-number-as-key": ("vo", (("t", 1), SESSION)),
        "numbers-as-key": ("vo", (("ai", [1, 2, 3]), SESSION)),
        "keys-as-key": ("vo", (("aay", [b"x", b"y"]), SESSION)),
        "a-huge-key": ("vo", (("ay", b"\xff" * 17_000_000), SESSION)),
        "a-nested-key": ("vo", (nested(30), SESSION)),
    },
    "SearchItems": {
        "texts-as-paths": ("asas", (["not a path"], [])),
        "pairs": ("a(oo)a(oo)", ([(COLLECTION, COLLECTION)], [])),
        "empty-lists-of-texts": ("asas", ([], [])),
    },
    "ReadAlias": {"a-path-as-text": ("s", (COLLECTION,))},
    "GetSecret": {
        "three-parts": ("(oays)", ((SESSION, b"", "text/plain"),)),
        "five-parts": ("(oayayss)", ((SESSION, b"", b"", "text/plain", "x"),)),
        "loose-parts": ("oayays", (SESSION, b"", b"", "text/plain")),
        "texts": ("(ssss)", (("x", "x", "x", "x"),)),
        "texts-as-bytes": ("(oasass)", ((SESSION, ["x"], ["y"], "text/plain"),)),
        "numbers-as-bytes": ("(oaiaxs)", ((SESSION, [1], [2], "text/plain"),)),
        "another-session": ("(oayays)", (("/other", b"x" * 16, b"x" * 16, "text/plain"),)),
        "bad-vector": ("(oayays)", ((SESSION, b"x" * 15, b"x" * 16, "text/plain"),)),
        "no-blocks": ("(oayays)", ((SESSION, b"x" * 16, b"x" * 17, "text/plain"),)),
        "huge-noise": ("(oayays)", ((SESSION, b"x" * 16, b"x" * 8_000_001, "text/plain"),)),
    },
    "Get": {
        "a-number-inside": ("v", (("i", 5),)),
        "a-list-inside": ("v", (("as", ["x"]),)),
        "a-label-without-variant": ("s", ("Login",)),
        "a-lock-without-variant": ("b", (False,)),
    },
    "GetAll": {
        "numbers-inside": ("a{sv}", ({n: ("i", 5) for n in ("Attributes", "Created", "Modified")},)),
        "texts-inside": ("a{sv}", ({n: ("s", "x") for n in ("Attributes", "Created", "Modified")},)),
        "lists-inside": ("a{sv}", ({n: ("as", ["x"]) for n in ("Attributes", "Created", "Modified")},)),
        "pairs-inside": ("a{sv}", ({n: ("a(ss)", [("x", "y")]) for n in ("Attributes", "Created", "Modified")},)),
    },
    "CreateItem": {"texts": ("ss", ("x", "y")), "one-path": ("o", (COLLECTION,)), "no-item": ("oo", ("/", "/"))},
    "Delete": {"a-text-as-path": ("s", (PROMPT,))},
    "Unlock": {"texts-as-paths": ("ass", (["x"], "y")), "no-prompt": ("ao", ([],))},
    "isOpen": {"a-number": ("i", (1,)), "a-variant": ("v", (("b", True),))},
    "Completed": {
        "a-number-for-dismissed": ("iv", (0, ("s", ""))),
        "no-result": ("b", (False,)),
        "a-loose-result": ("bs", (False, "")),
    },
}


def wrong_answers(method):
    return ANY | INSIDE.get(method, {}) | {"more": None}


class Service:
    def __init__(self, situation, wrong):
        self.situation = SITUATIONS[situation]
        self.wrong = wrong
        self.asked, self.calls, self.given, self.held = set(), 0, 0, []
        self.key = None
        self.locked = self.situation.get("locked", False)
        self.retired = False
        secret = self.situation.get("secret", b"a secret")
        self.items = {
            f"{COLLECTION}/{n + 1}": {
                "Attributes": {"service": "app", "account": "token"}, "Label": "token", "Secret": secret, "Modified": n,
            }
            for n in range(self.situation.get("items", 1))
        }
        self.pending = None  # what a prompt is for
        self.sending = threading.Lock()  # two threads send
        self.bus = open_dbus_connection(auth_timeout=600)
        for name in filter(None, ["org.freedesktop.secrets", self.situation.get("name")]):
            # Until the bus has noticed that the one before is gone.
            while self.bus.send_and_get_reply(message_bus.RequestName(name, 4)).body != (1,):
                pass
        threading.Thread(target=self.serve, daemon=True).start()

    def send(self, message):
        with self.sending:
            self.bus.send(message)

    def serve(self):
        try:
            while True:
                message = self.bus.receive()
                if message.header.message_type is MessageType.method_call:
                    self.answer(message)
        except (ConnectionError, OSError, ValueError):
            pass  # closed by the next one

    def answer(self, message):
        fields = {field.name: value for field, value in message.header.fields.items()}
        member, path = fields["member"], fields["path"]
        try:
            self.calls += 1
            if self.retired:
                raise KeyError
            if self.situation.get("times-out") and member == "SearchItems":
                raise TimeoutError
            signature, body = getattr(self, member)(path, *message.body)
        except (AttributeError, KeyError):
            name = "org.freedesktop.DBus.Error.UnknownMethod"
            self.send(new_error(message, name, "s", (f"No {member} at {path}",)))
            return
        except TimeoutError:
            self.send(new_error(message, "org.freedesktop.DBus.Error.TimedOut", "s", ("It took too long",)))
            return
        except NotImplementedError:
            name = "org.freedesktop.DBus.Error.NotSupported"
            self.send(new_error(message, name, "s", ("No such algorithm",)))
            return
        self.asked.add(member)
        self.give(member, signature, body, lambda signature, body: new_method_return(message, signature or None, body))
        if member == "Prompt":
            done = DBusAddress(PROMPT, interface=SECRET + "Prompt")
            self.give("Completed", *self.perform(), lambda *parts: new_signal(done, "Completed", *parts))

    def give(self, member, signature, body, make):
        kind, right = self.wrong.get(member), (signature, body)
        if kind == "hold":
            self.held.append((make, signature, body))
            return
        if kind == "more":
            signature, body = signature + "s", body + ("more",)
        elif kind not in (None, "twice"):
            signature, body = wrong_answers(member)[kind]
        # In plain there is no key, and what stands in its place means nothing. A description may be any text.
        is_free = member == "OpenSession" and self.key is None and signature == "vo" or member == "Introspect" and signature == "s"
        is_wrong = (signature, body) != right and not is_free
        self.given += is_wrong
        for _ in range(2 if kind == "twice" else 1):
            self.send(make(signature, body))

    # What a Secret Service does.

    def ReadAlias(self, _, name):
        return "o", (COLLECTION if name == "default" else "/",)

    def OpenSession(self, _, algorithm, key):
        if algorithm == "plain":
            return "vo", (("s", ""), SESSION)
        if self.situation.get("plain"):
            raise NotImplementedError
        private = int.from_bytes(os.urandom(128), "big") % PRIME
        shared = pow(int.from_bytes(key[1], "big"), private, PRIME).to_bytes(128, "big")
        self.key = HKDF(hashes.SHA256(), 16, None, b"").derive(shared)
        return "vo", (("ay", pow(2, private, PRIME).to_bytes(128, "big")), SESSION)

    def SearchItems(self, _, attributes):
        found = [p for p, i in self.items.items() if attributes.items() <= i["Attributes"].items()]
        return "aoao", ([], found) if self.locked else (found, [])

    def GetSecret(self, path, session):
        secret = self.items[path]["Secret"]
        if self.key is None:
            return "(oayays)", ((session, b"", secret, "text/plain"),)
        vector, padder = os.urandom(16), padding.PKCS7(128).padder()
        encryptor = Cipher(algorithms.AES(self.key), modes.CBC(vector)).encryptor()
        sealed = encryptor.update(padder.update(secret) + padder.finalize()) + encryptor.finalize()
        return "(oayays)", ((session, vector, sealed, "text/plain"),)

    def opened(self, secret):
        _, vector, sealed, _ = secret
        if self.key is None:
            return sealed
        decryptor, unpadder = Cipher(algorithms.AES(self.key), modes.CBC(vector)).decryptor(), padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(sealed) + decryptor.finalize()) + unpadder.finalize()

    def SetSecret(self, path, secret):
        self.items[path]["Secret"] = self.opened(secret)
        return "", ()

    def CreateItem(self, _, properties, secret, replace):
        attributes = properties[SECRET + "Item.Attributes"][1]
        same = [p for p, i in self.items.items() if i["Attributes"] == attributes]
        path = same[0] if same else f"{COLLECTION}/{len(self.items) + 1}"
        item = {"Attributes": attributes, "Label": "", "Secret": self.opened(secret), "Modified": 99}
        return self.prompted("oo", (path,), lambda: self.items.update({path: item}), ("o", path))

    def Delete(self, path):
        self.items[path]
        return self.prompted("o", (), lambda: self.items.pop(path), ("s", ""))

    def Unlock(self, _, paths):
        def unlock():
            self.locked = False

        return self.prompted("aoo", (paths,), unlock, ("ao", paths))

    def prompted(self, signature, results, change, result):
        """What a method answers that may want a prompt first, whose path comes last in its answer."""
        if self.situation.get("prompts"):
            self.pending = (change, result)
            empty = {"o": (), "oo": ("/",), "aoo": ([],)}[signature]
            return signature, empty + (PROMPT,)
        change()
        return signature, results + ("/",)

    def Prompt(self, _, window):
        return "", ()

    def perform(self):
        change, result = self.pending
        if self.situation.get("declines"):
            return "bv", self.situation["declines"]
        change()
        return "bv", (False, result)

    def Get(self, path, interface, name):
        collections = [COLLECTION] + ([OTHER_COLLECTION] if self.situation.get("other") else [])
        is_locked = self.locked and path != OTHER_COLLECTION
        return "v", ({"Label": ("s", "Login"), "Locked": ("b", is_locked), "Collections": ("ao", collections)}[name],)

    def GetAll(self, path, interface):
        item = self.items[path]
        return "a{sv}", ({
            "Attributes": ("a{ss}", item["Attributes"]), "Label": ("s", item["Label"]), "Locked": ("b", self.locked),
            "Created": ("t", 0), "Modified": ("t", item["Modified"]),
        },)

    def isOpen(self, path, name):
        if not self.situation.get("wallet") or path != "/modules/kwalletd5":
            raise KeyError
        return "b", (True,)

    def Introspect(self, path):
        if path != self.situation.get("object"):
            raise KeyError
        return "s", ('<node><interface name="org.keepassxc.KeePassXC.MainWindow"/></node>',)

    # What it says unasked.

    def emit(self):
        places = [
            (SECRETS, SECRET + "Service", "CollectionChanged"), (COLLECTION, SECRET + "Collection", "ItemChanged"),
            (COLLECTION, "org.freedesktop.DBus.Properties", "PropertiesChanged"), (PROMPT, SECRET + "Prompt", "Completed"),
            ("/modules/kwalletd5", "org.kde.KWallet", "walletOpened"),
            ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged"),
        ]
        inside = {
            "names": ("sss", ("org.freedesktop.secrets", self.bus.unique_name, "")),
            "owner": ("sss", ("org.freedesktop.secrets", "", "not a name")),
            "properties": ("sas", (SECRET + "Collection", ["Locked"])),
            "keys": ("sa{iv}as", (SECRET + "Collection", {1: ("b", True)}, [])),
            "interface": ("va{sv}as", (("s", SECRET + "Collection"), {}, [])),
        }
        count = 0
        for path, interface, member in places:
            for signature, body in (ANY | inside).values():
                self.send(new_signal(DBusAddress(path, interface=interface), member, signature or None, body))
                count += 1
        return count

    def lock(self):
        self.locked = True
        properties = DBusAddress(COLLECTION, interface="org.freedesktop.DBus.Properties")
        body = (SECRET + "Collection", {"Locked": ("b", True)}, [])
        self.send(new_signal(properties, "PropertiesChanged", "sa{sv}as", body))

    def release_name(self):
        self.send(message_bus.ReleaseName("org.freedesktop.secrets"))


def main():
    service = None
    others = []  # which gave their names up
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "be":
            if service is not None:
                service.bus.sock.shutdown(socket.SHUT_RDWR)  # which ends its thread, too
            service = Service(words[0], dict(word.split("=") for word in words[1:]))
            answer = "ready"
        elif verb == "asked":
            answer = " ".join(sorted(service.asked | ({"Completed"} if "Prompt" in service.asked else set())))
        elif verb == "calls":
            answer = service.calls
        elif verb == "wrong":
            answer = service.given
        elif verb == "answers":
            answer = " ".join(wrong_answers(words[0]))
        elif verb == "release":
            held, service.held = service.held, []
            for make, *parts in held:
                service.send(make(*parts))
            answer = len(held)
        elif verb == "emit":
            answer = service.emit()
        elif verb == "lock":
            service.lock()
            answer = "locked"
        elif verb in ("retire", "release-name"):
            service.retired = verb == "retire"
            service.release_name()
            others.append(service)
            service = None
            answer = "gone"
        print(answer, flush=True)


main()
