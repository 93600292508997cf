#!/usr/bin/env python3
"""Measure reader models: nDCG@10 by cosine on test collections, Spearman's correlation on graded sentence pairs."""

import argparse
import collections
import json
import pathlib

import numpy as np

from model import Model, tokenizer


def ndcg(ranked, grades):
    """nDCG@10 with the grade as gain."""
    discount = 1 / np.log2(np.arange(2, 12))
    gained = np.array([grades.get(document, 0) for document in ranked[:10]], float)
    best = np.array(sorted(grades.values(), reverse=True)[:10], float)
    return (gained * discount[: len(gained)]).sum() / (best * discount[: len(best)]).sum()


class Collection:
    def __init__(self, folder, encode):
        documents = [json.loads(line) for line in (folder / "docs.jsonl").open()]
        queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
        self.documents = [document["id"] for document in documents]
        self.document_ids = encode(
            f"{document.get('title') or ''} {document['text']}" for document in documents
        )
        self.queries = [query["id"] for query in queries]
        self.query_ids = encode(query["text"] for query in queries)
        self.grades = collections.defaultdict(dict)
        for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
            query, document, grade = line.split("\t")
            if float(grade) > 0:
                self.grades[query][document] = float(grade)

    def measure(self, model):
        scores = model.vectors(self.query_ids) @ model.vectors(self.document_ids).T
        values = []
        for query, row in zip(self.queries, scores):
            ranked = [self.documents[i] for i in np.argsort(-row, kind="stable")[:10]]
            values.append(ndcg(ranked, self.grades[query]))
        return float(np.mean(values))


class Pairs:
    """Lines of grade, sentence, sentence; pairs without a grade are left out."""

    def __init__(self, path, encode):
        rows = [line.split("\t")[:3] for line in path.read_text().splitlines()]
        rows = [row for row in rows if len(row) == 3 and row[0].strip()]
        self.grades = [float(row[0]) for row in rows]
        self.first, self.second = encode(row[1] for row in rows), encode(row[2] for row in rows)

    def measure(self, model):
        cosines = (model.vectors(self.first) * model.vectors(self.second)).sum(axis=1)
        return float(np.corrcoef(ranks(cosines), ranks(self.grades))[0, 1])


def ranks(values):
    """Ranks, ties sharing their mean."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


class Measurement:
    def __init__(self, collections_folder, pairs_folder, vocabulary):
        encode = tokenizer(vocabulary)
        self.sets = {
            p.parent.name: Collection(p.parent, encode)
            for p in sorted(collections_folder.glob("*/docs.jsonl"))
        }
        self.pairs = {p.stem: Pairs(p, encode) for p in sorted(pairs_folder.glob("*.tsv"))}

    def measure(self, model):
        found = {name: one.measure(model) for name, one in self.sets.items()}
        found["mean"] = float(np.mean(list(found.values())))
        pairs = {name: one.measure(model) for name, one in self.pairs.items()}
        return found | {"pairs": float(np.mean(list(pairs.values())))}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=pathlib.Path, help="folders with embeddings.safetensors")
    parser.add_argument("--collections", type=pathlib.Path, required=True, help="folder of test collections")
    parser.add_argument(
        "--pairs", type=pathlib.Path, required=True, help="folder of .tsv files: grade, sentence, sentence"
    )
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True, help="vocab.txt")
    arguments = parser.parse_args()
    measurement = Measurement(arguments.collections, arguments.pairs, arguments.vocabulary)
    for number, folder in enumerate(arguments.models):
        row = measurement.measure(Model.load(folder))
        if number == 0:
            print("| model |" + "".join(f" {name} |" for name in row) + "\n|---|" + "---|" * len(row))
        print(f"| {folder.name} |" + "".join(f" {value:.3f} |" for value in row.values()))


if __name__ == "__main__":
    main()
