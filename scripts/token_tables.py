#!/usr/bin/env python3
"""Packs the tables of the tokenizers for crates/ai/data: each token as the byte of its length and its bytes, in the order
of their ranks, compressed by zstd.

    scripts/token_tables.py FOLDER    the folder with cl100k_base.tiktoken and o200k_base.tiktoken, such as `assets` of
                                      the crate tiktoken-rs
"""
import base64
import pathlib
import subprocess
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
data = pathlib.Path(__file__).parent.parent / "crates/ai/data"
for name in ["cl100k_base", "o200k_base"]:
    lines = (pathlib.Path(sys.argv[1]) / f"{name}.tiktoken").read_bytes().splitlines()
    tokens = sorted((int(rank), base64.b64decode(token)) for token, rank in map(bytes.split, lines))
    if [rank for rank, _ in tokens] != list(range(len(tokens))):
        sys.exit(f"{name}: the ranks have gaps")
    table = b"".join(bytes([len(token)]) + token for _, token in tokens)
    packed = subprocess.run(["zstd", "-19", "--stdout"], input=table, capture_output=True, check=True).stdout
    (data / f"{name}.tokens.zst").write_bytes(packed)
    print(f"{name}: {len(tokens)} tokens, {len(table)} bytes, {len(packed)} packed")
