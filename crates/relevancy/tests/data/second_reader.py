#!/usr/bin/env python3
"""Computes the vectors of `second_reader.json` with numpy: the small model of `src/second_reader/fixtures.rs`.

Every step is a 32-bit float in the order of the Rust code, so that both give the same digits. Writes to standard output.
"""

import json
import math

import numpy as np

F32 = np.float32
VOCABULARY, DIMENSIONS, LAYERS, HEADS, INNER, POSITIONS, TOKENS_MAX = 50, 24, 2, 2, 40, 16, 12
LANES = 16
CASES = [[7], [1, 2], [3, 3, 3], [49, 0, 25, 7], [5, 11, 17, 23, 29, 35, 41, 47], list(range(1, 13))]
LINEAR = [
    ("attention.self.query", DIMENSIONS, DIMENSIONS),
    ("attention.self.key", DIMENSIONS, DIMENSIONS),
    ("attention.self.value", DIMENSIONS, DIMENSIONS),
    ("attention.output.dense", DIMENSIONS, DIMENSIONS),
    ("intermediate.dense", INNER, DIMENSIONS),
    ("output.dense", DIMENSIONS, INNER),
]


def shapes():
    """The tables of the published format, in their order."""
    yield "words", (VOCABULARY, DIMENSIONS)
    yield "positions", (POSITIONS, DIMENSIONS)
    yield "kinds", (2, DIMENSIONS)
    yield "norm.weight", (DIMENSIONS,)
    yield "norm.bias", (DIMENSIONS,)
    for layer in range(LAYERS):
        for name, outputs, columns in LINEAR:
            yield f"{layer}.{name}.weight", (outputs, columns)
            yield f"{layer}.{name}.bias", (outputs,)
        for name in ("attention.norm", "norm"):
            yield f"{layer}.{name}.weight", (DIMENSIONS,)
            yield f"{layer}.{name}.bias", (DIMENSIONS,)


def tables():
    """Multiples of 1/64."""
    made = {}
    for number, (name, shape) in enumerate(shapes()):
        place = np.arange(math.prod(shape), dtype=np.int64)
        value = (number * 7919 + place * 104729 + (place * place % 1009) * 31) % 65 - 32
        made[name] = (value / 64 + (1 if name.endswith("norm.weight") else 0)).astype(F32).reshape(shape)
    return made


def lane_sum(values):
    lanes = np.zeros(values.shape[:-1] + (LANES,), F32)
    for start in range(0, values.shape[-1], LANES):
        part = values[..., start : start + LANES]
        lanes[..., : part.shape[-1]] += part
    total = np.zeros(values.shape[:-1], F32)
    for lane in range(LANES):
        total = total + lanes[..., lane]
    return total


def exp(number):
    power = (np.maximum(number, F32(-80)) * F32(math.log2(math.e))).astype(F32)
    whole = np.rint(power)
    rest = ((power - whole) * F32(math.log(2))).astype(F32)
    series = F32(1 / 24) + rest * (F32(1 / 120) + rest * F32(1 / 720))
    series = F32(1) + rest * (F32(1) + rest * (F32(0.5) + rest * (F32(1 / 6) + rest * series)))
    return series * ((127 + whole.astype(np.int32)).astype(np.uint32) << np.uint32(23)).view(F32)


def gelu(number):
    scaled = np.abs(number) * F32(math.sqrt(0.5))
    t = F32(1) / (F32(1) + F32(0.3275911) * scaled)
    polynomial = F32(0)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        polynomial = (polynomial + F32(factor)) * t
    erf = F32(1) - polynomial * exp(-(scaled * scaled))
    return F32(0.5) * number * (F32(1) + np.where(number < 0, -erf, erf))


def nearest(values, most):
    largest = np.abs(values).max(-1, keepdims=True)
    integers = np.rint(values * (F32(most) / largest)).astype(np.int64)
    return integers, (largest / F32(most))[..., 0]


class Model:
    def __init__(self):
        self.tables = tables()
        self.positions = self.tables["positions"][:TOKENS_MAX] + self.tables["kinds"][0]

    def norm(self, states, name):
        centered = states - (lane_sum(states) / F32(DIMENSIONS))[:, None]
        variance = lane_sum(centered * centered) / F32(DIMENSIONS)
        factor = F32(1) / np.sqrt(variance + F32(1e-12))
        return centered * factor[:, None] * self.tables[f"{name}.weight"] + self.tables[f"{name}.bias"]

    def linear(self, states, name):
        tokens, token_scales = nearest(states, 8191)
        rows, row_scales = nearest(self.tables[f"{name}.weight"], 127)
        sums = (tokens @ rows.T).astype(np.int32).astype(F32)
        return sums * (row_scales[None, :] * token_scales[:, None]) + self.tables[f"{name}.bias"]

    def attend(self, states, layer):
        queries, keys, values = (
            self.linear(states, f"{layer}.attention.self.{name}") for name in ("query", "key", "value")
        )
        columns, mixed = DIMENSIONS // HEADS, np.zeros_like(values)
        for head in range(HEADS):
            part = slice(head * columns, (head + 1) * columns)
            query = queries[:, part] * (F32(1) / np.sqrt(F32(columns)))
            weights = np.zeros((len(states), len(states)), F32)
            for place in range(columns):
                weights = weights + query[:, place : place + 1] * keys[:, part][:, place][None, :]
            weights = exp(weights - weights.max(-1, keepdims=True))
            mix = np.zeros((len(states), columns), F32)
            for token in range(len(states)):
                mix = mix + weights[:, token : token + 1] * values[token, part][None, :]
            mixed[:, part] = mix / lane_sum(weights)[:, None]
        return mixed

    def vector(self, ids):
        words, scales = nearest(self.tables["words"], 127)
        states = self.positions[: len(ids)] + words[ids].astype(F32) * scales[ids][:, None]
        states = self.norm(states, "norm")
        for layer in range(LAYERS):
            mixed = self.linear(self.attend(states, layer), f"{layer}.attention.output.dense")
            states = self.norm(states + mixed, f"{layer}.attention.norm")
            inner = gelu(self.linear(states, f"{layer}.intermediate.dense"))
            states = self.norm(states + self.linear(inner, f"{layer}.output.dense"), f"{layer}.norm")
        mean = np.zeros(DIMENSIONS, F32)
        for state in states:
            mean = mean + state
        mean = mean / F32(len(ids))
        vector = mean / np.sqrt(lane_sum(mean * mean))
        assert vector.dtype == F32
        return [float(f"{value:.7g}") for value in vector]


def main():
    model = Model()
    lines = [json.dumps({"ids": ids, "vector": model.vector(ids)}) for ids in CASES]
    print("[\n  " + ",\n  ".join(lines) + "\n]")


if __name__ == "__main__":
    main()
