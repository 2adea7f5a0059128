"""Writes the models, rows and expected numbers of this folder.

Run with Debian's python3-xgboost 1.7 and python3-sklearn 1.2; lightgbm 4 for the LightGBM files. Tests need no Python.
    python3 make.py xgboost [bank-full.csv]
    python3 make.py lightgbm
"""

import csv
import json
import sys

import numpy as np

FEATURES = ["age", "balance", "ratio", "visits", "region", "plan"]
CATEGORICAL = {"region": 12, "plan": 3}


def make_rows(count, seed):
    rng = np.random.RandomState(seed)
    x = np.column_stack(
        [
            rng.randint(18, 90, count).astype(float),
            np.round(rng.normal(1000, 3000, count), 2),
            rng.rand(count),
            np.where(rng.rand(count) < 0.5, 0, rng.randint(0, 6, count)).astype(float),
            rng.randint(0, 12, count).astype(float),
            rng.randint(0, 3, count).astype(float),
        ]
    )
    x[rng.rand(*x.shape) < 0.12] = np.nan
    return x


def make_labels(x, seed):
    rng = np.random.RandomState(seed)
    z = np.nan_to_num(x, nan=0.5)
    margin = (z[:, 0] > 50) * 1.2 - (z[:, 1] < 0) * 0.8 + np.isin(z[:, 4], [1, 4, 7, 11]) * 1.5 + z[:, 2] - (z[:, 5] == 2)
    margin += np.isnan(x[:, 3]) * 0.7 - (z[:, 3] == 0) * 0.4 - 1.2
    return (rng.rand(len(x)) < 1 / (1 + np.exp(-margin))).astype(int)


def listed(matrix):
    return [[None if np.isnan(v) else float(v) for v in row] for row in matrix]


def write(name, value):
    with open(name, "w") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


def auc_of_bank(path):
    import xgboost as xgb
    from sklearn.metrics import roc_auc_score

    rows = list(csv.DictReader(open(path)))
    columns = []
    for name in rows[0]:
        if name in ("customer_id", "duration", "y"):
            continue
        texts = [row[name] for row in rows]
        try:
            columns.append(np.array([float(text) for text in texts]))
        except ValueError:
            columns += [np.array([float(text == word) for text in texts]) for word in sorted(set(texts))]
    x = np.column_stack(columns)
    y = np.array([row["y"] == "yes" for row in rows]).astype(int)
    held = np.arange(len(y)) % 5 == 0
    answer = {}
    for depth in (4, 6):
        params = dict(
            objective="binary:logistic", max_depth=depth, eta=0.1, reg_lambda=1, max_bin=64, tree_method="hist", nthread=1
        )
        booster = xgb.train(params, xgb.DMatrix(x[~held], y[~held]), 100)
        answer[f"depth{depth}"] = roc_auc_score(y[held], booster.predict(xgb.DMatrix(x[held])))
    return answer


def make_xgboost(bank):
    import xgboost as xgb

    types = ["c" if name in CATEGORICAL else "q" for name in FEATURES]

    def matrix(x, y=None):
        return xgb.DMatrix(x, y, feature_names=FEATURES, feature_types=types, enable_categorical=True)

    x = make_rows(4000, 1)
    y = make_labels(x, 2)
    params = dict(
        objective="binary:logistic", max_depth=5, eta=0.3, tree_method="hist", base_score=0.3, max_cat_to_onehot=4, nthread=1, seed=3
    )
    booster = xgb.train(params, matrix(x, y), 40)
    booster.save_model("xgboost.model.json")
    rows = make_rows(1000, 4)
    cases = matrix(rows)
    write(
        "xgboost.cases.json",
        {
            "rows": listed(rows),
            "margins": [float(v) for v in booster.predict(cases, output_margin=True)],
            "scores": [float(v) for v in booster.predict(cases)],
            "contributions": [[float(v) for v in row] for row in booster.predict(cases, pred_contribs=True)],
        },
    )
    if bank is not None:
        write("bank-auc.json", auc_of_bank(bank))


def make_lightgbm():
    import lightgbm as lgb

    x = make_rows(4000, 1)
    y = make_labels(x, 2)
    rows = make_rows(1000, 4)
    cases = {"rows": listed(rows)}
    # zero_as_missing and use_missing=false make the missing types zero and none; sigmoid scales the margin.
    for name, more in (("nan", {}), ("zero", {"zero_as_missing": True, "sigmoid": 1.7}), ("none", {"use_missing": False})):
        params = dict(
            objective="binary", num_leaves=24, learning_rate=0.2, verbose=-1, num_threads=1, seed=3, min_data_per_group=20, deterministic=True
        )
        train = lgb.Dataset(x, y, feature_name=FEATURES, categorical_feature=list(CATEGORICAL), params={**params, **more})
        booster = lgb.train({**params, **more}, train, 20)
        booster.save_model(f"lightgbm.{name}.model.txt")
        if name == "nan":
            write(f"lightgbm.{name}.model.json", booster.dump_model())
        cases[name] = {
            "scores": [float(v) for v in booster.predict(rows)],
            "contributions": [[float(v) for v in row] for row in booster.predict(rows[:200], pred_contrib=True)],
        }
    write("lightgbm.cases.json", cases)


if sys.argv[1] == "xgboost":
    make_xgboost(sys.argv[2] if len(sys.argv) > 2 else None)
else:
    make_lightgbm()
