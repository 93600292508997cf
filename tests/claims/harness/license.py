"""Licenses for claims: an issuer with a key of its own, made by the program that is checked, and Ed25519 to check it."""

import base64
import functools
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


class Issuer:
    """Keys from `tributary license keygen`. `issue` returns the text of a license, `signed` signs fields of any kind."""

    def __init__(self, program):
        self.program, self.temporary = program, tempfile.TemporaryDirectory(prefix="tributary-claims-license-")
        self.folder = pathlib.Path(self.temporary.name) / "keys"
        self.run("keygen", "--out", self.folder)
        self.public_key = (self.folder / "public.pem").read_text()
        self.seed = pem_bytes((self.folder / "private.pem").read_text())[16:48]

    def run(self, *arguments):
        command = [self.program, "license", *map(str, arguments)]
        return subprocess.run(command, cwd=self.temporary.name, capture_output=True, text=True, timeout=30, check=True)

    def issue(self, *options, owner="Claims Ltd"):
        """A license from `tributary license issue`; the cache is included unless options are given."""
        key = self.folder / "private.pem"
        return self.run("issue", "--key", key, "--owner", owner, *(options or ["--cache"])).stdout.strip()

    def signed(self, **fields):
        """A license with exactly these fields and a valid signature."""
        return json.dumps({**fields, "key": base64.b64encode(sign(self.seed, signed_text(fields))).decode()})

    def settings(self, license, **others):
        return {"SVC_LICENSE": license, "SVC_LICENSE_PUBLIC_KEY": self.public_key, **others}


@functools.cache
def issuer():
    """The issuer of this run; the program is the first argument of the run."""
    return Issuer(pathlib.Path(sys.argv[1]).resolve())


def licensed(**settings):
    """Settings of a service whose license includes the cache."""
    return issuer().settings(issuer().issue(), **settings)


def signed_text(fields):
    """What the signature of a license covers: the fields as JSON with sorted keys and without spaces."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def pem_bytes(text):
    return base64.b64decode("".join(line for line in text.splitlines() if not line.startswith("-----")))


# Ed25519 as in RFC 8032, in affine coordinates: slow, and short enough to read.


def add(left, right):
    (x1, y1), (x2, y2) = left, right
    product = D * x1 * x2 * y1 * y2
    return (
        (x1 * y2 + x2 * y1) * pow(1 + product, P - 2, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - product, P - 2, P) % P,
    )


def multiply(point, number):
    result = (0, 1)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def decode_point(data):
    y = int.from_bytes(data, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (P - x if x & 1 != data[31] >> 7 else x, y)


def encode_point(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


BASE = decode_point(bytes([0x58] + [0x66] * 31))


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def sign(seed, message):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    public = encode_point(multiply(BASE, scalar))
    nonce = hashed(digest[32:], message) % ORDER
    commitment = encode_point(multiply(BASE, nonce))
    answer = (nonce + hashed(commitment, public, message) * scalar) % ORDER
    return commitment + answer.to_bytes(32, "little")


def is_signed(public_key, message, signature):
    """Whether the signature of the message belongs to the public key, a PEM text."""
    public, commitment = pem_bytes(public_key)[-32:], signature[:32]
    left = multiply(BASE, int.from_bytes(signature[32:], "little"))
    right = multiply(decode_point(public), hashed(commitment, public, message) % ORDER)
    return left == add(decode_point(commitment), right)
