"""Writes linear.json: what scikit-learn 1.2 and scipy say, for the tests of training. Run once, by hand:

    python3 packages/engine/test/oracles/linear.py <folder with uci-bank/bank-full.csv>
"""
import csv
import json
import math
import pathlib
import sys

import numpy
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.naive_bayes import CategoricalNB

NUMERIC = ["age", "balance", "day", "campaign", "pdays", "previous"]
TEXT = ["job", "marital", "education", "default", "housing", "loan", "contact", "month", "poutcome"]


def bank(folder):
    with open(pathlib.Path(folder) / "uci-bank" / "bank-full.csv") as file:
        rows = list(csv.DictReader(file))
    # `duration` is known only after the call. Every fifth row is held out.
    train = [row for at, row in enumerate(rows) if at % 5 != 4]
    test = [row for at, row in enumerate(rows) if at % 5 == 4]
    label = lambda some: numpy.array([1 if row["y"] == "yes" else 0 for row in some])
    numbers = numpy.array([[float(row[name]) for name in NUMERIC] for row in train])
    mean, std = numbers.mean(axis=0), numbers.std(axis=0)
    words = [sorted({row[name] for row in train}) for name in TEXT]

    def matrix(some):
        scaled = (numpy.array([[float(row[name]) for name in NUMERIC] for row in some]) - mean) / std
        hot = [[1.0 if row[name] == word else 0.0 for name, list_ in zip(TEXT, words) for word in list_] for row in some]
        return numpy.hstack([scaled, numpy.array(hot)])

    model = LogisticRegression(max_iter=5000).fit(matrix(train), label(train))
    scores = model.predict_proba(matrix(test))[:, 1]
    return {"rows": len(rows), "positives": int(label(test).sum()), "logisticAuc": roc_auc_score(label(test), scores),
            "logisticLogLoss": log_loss(label(test), scores)}


def metrics():
    scores = [round(((at * 37) % 101) / 101, 6) for at in range(200)] + [0.5] * 20
    labels = [1 if (at * 53) % 97 < 97 * score else 0 for at, score in enumerate(scores)]
    return {"scores": scores, "labels": labels, "auc": roc_auc_score(labels, scores),
            "logLoss": log_loss(labels, numpy.clip(scores, 1e-15, 1 - 1e-15)), "brier": brier_score_loss(labels, scores),
            "accuracy": accuracy_score(labels, [1 if score >= 0.5 else 0 for score in scores])}


def tails():
    return [{"statistic": s, "freedom": f, "p": chi2.sf(s, f)}
            for f in (1, 2, 5, 9, 10, 51) for s in (0.01, 0.5, 1, 3.84, 9, 20, 60, 150)]


def bayes():
    """Categorical naive Bayes with one added to each count: the same sums, apart from the prior's smoothing."""
    rows = [[at % 3, (at * 7) % 4] for at in range(60)]
    labels = [1 if (at * 11) % 5 < 2 else 0 for at in range(60)]
    pos = sum(labels)
    prior = [(60 - pos + 1) / 62, (pos + 1) / 62]
    model = CategoricalNB(alpha=1.0, class_prior=prior).fit(rows, labels)
    return {"rows": rows, "labels": labels,
            "scores": [{"row": [a, b], "score": model.predict_proba([[a, b]])[0][1]} for a in range(3) for b in range(4)]}


answer = {"bank": bank(sys.argv[1]), "metrics": metrics(), "tails": tails(), "bayes": bayes()}
target = pathlib.Path(__file__).with_name("linear.json")
target.write_text(json.dumps(answer, indent=1) + "\n")
print(answer["bank"], math.isfinite(answer["metrics"]["auc"]))
