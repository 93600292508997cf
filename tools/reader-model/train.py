#!/usr/bin/env python3
"""Train the reader model on collected texts, to rank them as the teacher does. Needs a GPU for the full set."""

import argparse
import itertools
import json
import lzma
import pathlib
import random
import re

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import AutoModel

from measure import Measurement
from model import Model, tokenizer, write_check

TEMPERATURE = 0.05
TEACHER_TOKENS = 256
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


# Texts


def load_texts(path, limit):
    """Passages, their titles, and two pieces of each passage: a few words, and about a sentence."""
    rng = random.Random(1)
    passages, queries = [], ([], [], [])
    with lzma.open(path, "rt") as lines:
        for line in lines:
            row = json.loads(line)
            words = row["text"].split()
            sentences = re.split(r"(?<=[.!?])\s+", row["text"])
            passages.append(row["text"])
            queries[0].append(row["title"] or " ".join(words[:8]))
            queries[1].append(span(words, rng.randint(2, 8), rng))
            queries[2].append(
                rng.choice(sentences) if len(sentences) > 2 else span(words, rng.randint(8, 16), rng)
            )
            if len(passages) == limit:
                break
    return passages, queries


def span(words, length, rng):
    start = rng.randint(0, max(0, len(words) - length))
    return " ".join(words[start : start + length]).strip(".,;:()")


class Tokens:
    """Token lists of many texts, padded batch by batch."""

    def __init__(self, lists):
        self.lengths = torch.tensor([len(ids) for ids in lists], device=DEVICE)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths
        self.flat = torch.from_numpy(np.fromiter(itertools.chain.from_iterable(lists), np.int32)).to(DEVICE)

    def batch(self, index):
        lengths = self.lengths[index]
        place = torch.arange(max(1, int(lengths.max())), device=DEVICE)
        mask = place[None] < lengths[:, None]
        ids = self.flat[(self.starts[index][:, None] + place[None]).clamp(max=len(self.flat) - 1)]
        return ids.long() * mask, mask


def teacher_vectors(folder, texts):
    """Normalized mean of the teacher's last layer, as sentence-transformers computes it."""
    pieces = Tokenizer.from_file(str(folder / "tokenizer.json"))
    pieces.enable_truncation(TEACHER_TOKENS)
    pieces.no_padding()
    tokens = Tokens([encoding.ids for encoding in pieces.encode_batch(texts)])
    network = AutoModel.from_pretrained(folder).to(DEVICE).eval()
    if DEVICE == "cuda":
        network = network.half()
    order = torch.argsort(tokens.lengths)
    vectors = torch.empty(len(texts), network.config.hidden_size, dtype=torch.float16, device=DEVICE)
    with torch.no_grad():
        for index in order.split(1024 if DEVICE == "cuda" else 32):
            ids, mask = tokens.batch(index)
            states = network(input_ids=ids, attention_mask=mask.long()).last_hidden_state.float()
            mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
            vectors[index] = F.normalize(mean, dim=1).half()
    return vectors


def project(teacher, table):
    """Map from the teacher's space to the table's: the strongest dimensions, turned to fit."""
    teacher = teacher.float()
    _, basis = torch.linalg.eigh(teacher.T @ teacher)
    basis = basis[:, -table.shape[1] :]
    left, _, right = torch.linalg.svd((teacher @ basis).T @ table)
    return basis @ left @ right


def clusters(vectors, count, rounds=12):
    """Spherical k-means; returns the members of each cluster."""
    generator = torch.Generator(device=DEVICE).manual_seed(1)
    centers = vectors[torch.randperm(len(vectors), generator=generator, device=DEVICE)[:count]].float()
    for _ in range(rounds):
        nearest = torch.cat([(part.float() @ centers.T).argmax(1) for part in vectors.split(65536)])
        sums = torch.zeros_like(centers).index_add_(0, nearest, vectors.float())
        centers = F.normalize(torch.where(sums.norm(dim=1, keepdim=True) > 0, sums, centers), dim=1)
    return [torch.nonzero(nearest == i)[:, 0] for i in range(count)]


def prepare(arguments):
    """Passages and each kind of query as tokens, teacher's vectors, and those in the table's space; the clusters."""
    texts, kinds = load_texts(arguments.texts, arguments.limit)
    encode, space = tokenizer(arguments.vocabulary), Model.load(arguments.space)
    everything = [texts, *kinds]
    teacher = [teacher_vectors(arguments.teacher, part) for part in everything]
    tokens = [Tokens(encode(part)) for part in everything]
    sample = list(range(0, len(texts), max(1, len(texts) // 20000)))
    known = torch.tensor(space.vectors(encode(texts[i] for i in sample)), device=DEVICE)
    turn = project(teacher[0][sample], known)
    goals = [F.normalize(part.float() @ turn, dim=1).half() for part in teacher]
    agreement = (goals[0][sample].float() * known).sum(1).mean().item()
    print(f"{len(texts)} passages; cosine of teacher and table {agreement:.3f}")
    passages, *queries = zip(tokens, teacher, goals)
    return passages, queries, clusters(teacher[0], max(2, len(texts) // arguments.cluster_size))


# Student


class Student(torch.nn.Module):
    def __init__(self, model, attention_size=32):
        super().__init__()
        rows = torch.tensor(model.rows)
        self.rows = torch.nn.Parameter(rows)
        if model.keys is None:
            keys, directions = torch.zeros(len(rows), attention_size), torch.randn(rows.shape[1], attention_size) * 0.1
        else:
            keys, directions = torch.tensor(model.keys), torch.tensor(model.directions)
        self.keys, self.directions = torch.nn.Parameter(keys), torch.nn.Parameter(directions)

    def forward(self, ids, mask):
        rows = F.embedding(ids, self.rows) * mask[:, :, None]
        context = F.normalize(rows.sum(1), dim=1) @ self.directions
        attention = torch.einsum("bld,bd->bl", F.embedding(ids, self.keys), context).clamp(-3, 3).exp() * mask
        return F.normalize(torch.einsum("bl,bld->bd", attention, rows), dim=1)

    def model(self):
        return Model(*(p.detach().float().cpu().numpy() for p in (self.rows, self.keys, self.directions)))


def divergence(student, teacher, same=False):
    """KL divergence of the student's similarities from the teacher's, row by row."""
    if same:
        hidden = torch.eye(len(student), dtype=torch.bool, device=student.device)
        student, teacher = student.masked_fill(hidden, -9), teacher.masked_fill(hidden, -9)
    targets = F.log_softmax(teacher / TEMPERATURE, dim=1)
    return F.kl_div(
        F.log_softmax(student / TEMPERATURE, dim=1), targets, reduction="batchmean", log_target=True
    )


def train(student, passages, queries, members, arguments):
    optimizer = torch.optim.Adam(
        [
            {"params": [student.rows], "lr": arguments.rate},
            {"params": [student.keys, student.directions], "lr": arguments.rate * arguments.attention_rate},
        ],
        betas=(0.9, 0.99),
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [group["lr"] for group in optimizer.param_groups], arguments.steps, pct_start=0.05
    )
    generator = torch.Generator().manual_seed(2)
    weights = torch.tensor([float(len(m)) for m in members])
    for step in range(arguments.steps):
        chosen = torch.cat(
            [members[i] for i in torch.multinomial(weights, arguments.clusters, generator=generator)]
        )
        chosen = chosen[
            torch.randperm(len(chosen), generator=generator)[: arguments.batch].to(DEVICE)
        ].unique()
        kinds = torch.multinomial(torch.tensor(arguments.mix), 2, generator=generator).tolist()
        (p, teacher_p, goal_p), (q, teacher_q, goal_q), (r, teacher_r, goal_r) = (
            (student(*tokens.batch(chosen)), teacher[chosen].float(), goal[chosen].float())
            for tokens, teacher, goal in (passages, queries[kinds[0]], queries[kinds[1]])
        )
        loss = (
            divergence(q @ p.T, teacher_q @ teacher_p.T)
            + 0.5 * divergence(p @ q.T, teacher_p @ teacher_q.T)
            + 0.5 * divergence(p @ p.T, teacher_p @ teacher_p.T, same=True)
            + arguments.short * divergence(q @ r.T, teacher_q @ teacher_r.T)
            + arguments.short * divergence(q @ q.T, teacher_q @ teacher_q.T, same=True)
            + arguments.cosine
            * (3 - (p * goal_p).sum(1).mean() - (q * goal_q).sum(1).mean() - (r * goal_r).sum(1).mean())
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 1000 == 0 or step == arguments.steps - 1:
            print(f"step {step} loss {loss.item():.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=pathlib.Path, required=True, help="what collect.py wrote")
    parser.add_argument("--teacher", type=pathlib.Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--start", type=pathlib.Path, required=True, help="folder of the model to start from")
    parser.add_argument(
        "--space", type=pathlib.Path, required=True, help="folder of the model whose space is kept"
    )
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True)
    parser.add_argument("--collections", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument(
        "--prepared", type=pathlib.Path, help="file that keeps tokens, vectors and clusters between runs"
    )
    parser.add_argument("--limit", type=int, help="take only so many passages")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument(
        "--attention-rate", type=float, default=0.3, help="learning rate of the attention, as a part of --rate"
    )
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--clusters", type=int, default=4, help="clusters in a batch")
    parser.add_argument("--cluster-size", type=int, default=500, help="mean number of passages in a cluster")
    parser.add_argument(
        "--mix", type=float, nargs=3, default=(0.5, 0.25, 0.25), help="titles, spans, sentences"
    )
    parser.add_argument("--short", type=float, default=0.5, help="weight of short texts among themselves")
    parser.add_argument(
        "--cosine", type=float, default=0.2, help="weight of the cosine to the teacher's vectors"
    )
    arguments = parser.parse_args()
    torch.manual_seed(0)

    if arguments.prepared and arguments.prepared.exists():
        prepared = torch.load(arguments.prepared, map_location=DEVICE, weights_only=False)
    else:
        prepared = prepare(arguments)
        if arguments.prepared:
            torch.save(prepared, arguments.prepared)
    passages, queries, members = prepared

    student = Student(Model.load(arguments.start)).to(DEVICE)
    train(student, passages, queries, members, arguments)
    student.model().save(arguments.out)
    final = Model.load(arguments.out)
    pairs = [
        line.split("\t") for line in (pathlib.Path(__file__).parent / "check.tsv").read_text().splitlines()
    ]
    write_check(final, tokenizer(arguments.vocabulary), pairs, arguments.out / "check.json")
    result = Measurement(arguments.collections, arguments.pairs, arguments.vocabulary).measure(final)
    print(json.dumps({name: round(value, 4) for name, value in result.items()}))


if __name__ == "__main__":
    main()
