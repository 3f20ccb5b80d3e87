"""Damaged copies of a file: bytes and bits changed, lost, put in, and lengths that lie."""

from __future__ import annotations

import random

LYING = (b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\xff" * 8)


def mutated(content: bytes, seed: int) -> bytes:
    rng = random.Random(seed)
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        place = rng.randrange(len(damaged) or 1)
        kind = rng.randrange(6)
        if kind == 0 and damaged:
            damaged[place] = rng.randrange(256)
        elif kind == 1 and damaged:
            damaged[place] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del damaged[place : place + rng.choice([1, 2, 8, 64])]
        elif kind == 3:
            damaged[place:place] = rng.randbytes(rng.choice([1, 4, 16]))
        elif kind == 4:
            lie = rng.choice(LYING)
            damaged[place : place + len(lie)] = lie
        else:
            other = rng.randrange(len(damaged) or 1)
            damaged[place : place + 16] = damaged[other : other + 16]
    return bytes(damaged)
