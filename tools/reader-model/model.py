"""The reader model: its files, its tokens, and its vectors with numpy."""

import json
import pathlib

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import BertWordPieceTokenizer

LONGEST = 512  # tokens of a text


def tokenizer(vocabulary):
    """BERT's uncased word pieces, without the special tokens."""
    pieces = BertWordPieceTokenizer(str(vocabulary), lowercase=True)

    def encode(texts):
        return [e.ids[:LONGEST] for e in pieces.encode_batch(list(texts), add_special_tokens=False)]

    return encode


def quantize(rows):
    """One scale per row, the largest value at 127."""
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127
    return np.rint(rows / scales[:, None]).astype(np.int8), scales.astype(np.float32)


class Model:
    """Token rows, and attention keys with their directions where the model has them."""

    def __init__(self, rows, keys=None, directions=None):
        self.rows, self.keys, self.directions = rows, keys, directions

    @classmethod
    def load(cls, folder):
        folder = pathlib.Path(folder)
        table = load_file(folder / "embeddings.safetensors")
        rows = table["embeddings"].astype(np.float32) * table["scales"][:, None]
        if not (folder / "attention.safetensors").exists():
            return cls(rows)
        attention = load_file(folder / "attention.safetensors")
        return cls(rows, attention["keys"].astype(np.float32) * attention["key_scales"][:, None], attention["directions"])

    def save(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        embeddings, scales = quantize(self.rows)
        save_file({"embeddings": embeddings, "scales": scales}, folder / "embeddings.safetensors")
        keys, key_scales = quantize(self.keys)
        attention = {"keys": keys, "key_scales": key_scales, "directions": self.directions.astype(np.float32)}
        save_file(attention, folder / "attention.safetensors")

    def vector(self, ids):
        if not ids:
            return np.zeros(self.rows.shape[1], np.float32)
        rows = self.rows[ids]
        total = rows.sum(axis=0)
        if self.keys is not None:
            context = total / max(np.linalg.norm(total), 1e-12) @ self.directions
            total = np.exp(np.clip(self.keys[ids] @ context, -3, 3)) @ rows
        return total / max(np.linalg.norm(total), 1e-12)

    def vectors(self, token_lists):
        return np.stack([self.vector(ids) for ids in token_lists])


def write_check(model, encode, pairs, path):
    """Pairs of texts with their cosine and the tokens of the first, for other implementations."""
    entries = []
    for a, b in pairs:
        ids, others = encode([a, b])
        entries.append(
            {
                "a": a,
                "b": b,
                "cosine": round(float(model.vector(ids) @ model.vector(others)), 4),
                "a_ids": ids,
            }
        )
    pathlib.Path(path).write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
