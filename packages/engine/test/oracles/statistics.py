# Writes statistics.json with scipy's numbers. Run once: python3 statistics.py > statistics.json
import json
import random

import numpy
from scipy import special, stats

random.seed(20261129)
points = [0, 1e-9, 0.1, 0.5, 0.84, 1, 1.5, 1.99, 2, 2.01, 2.5, 3, 4, 5, 6, 8, 10, 15, 20, 25]
points += [random.uniform(0, 6) for _ in range(200)]

def wilson(hits, total):
    interval = stats.binomtest(hits, total).proportion_ci(confidence_level=0.95, method="wilson")
    return [interval.low, interval.high]

def pooled(base, other):
    (a, n), (b, m) = base, other
    rate = (a + b) / (n + m)
    z = (b / m - a / n) / numpy.sqrt(rate * (1 - rate) * (1 / n + 1 / m))
    return [z, 2 * stats.norm.sf(abs(z))]

proportions = [(12, 80), (0, 25), (50, 50), (120, 1000), (150, 1000), (1, 1), (0, 1)]
for _ in range(100):
    total = int(10 ** random.uniform(0, 6))
    proportions.append((random.randint(0, total), total))

pairs = [((120, 1000), (150, 1000))]
while len(pairs) < 150:
    n, m = int(10 ** random.uniform(1, 5)), int(10 ** random.uniform(1, 5))
    rate = random.uniform(0.01, 0.9)
    a, b = numpy.random.RandomState(len(pairs)).binomial([n, m], rate)
    if 0 < a + b < n + m:
        pairs.append(((int(a), n), (int(b), m)))

squares = [(x, df) for df in range(1, 8) for x in (0.001, 0.5, 1, 3.84, 10, 30, 100)]
squares += [(random.uniform(0, 300), df) for df in (1, 2, 3, 4, 5, 6, 11, 40, 99, 100, 199)]

ratios = []
for _ in range(60):
    groups = random.randint(2, 7)
    weights = [random.uniform(1, 10) for _ in range(groups)]
    shares = [100 * w / sum(weights) for w in weights]
    counts = [random.randint(0, 5000) for _ in range(groups)] if random.random() < 0.3 else [
        max(0, int(2000 * s / 100 + random.gauss(0, 25))) for s in shares]
    expected = [sum(counts) * s / 100 for s in shares]
    square = sum((c - e) ** 2 / e for c, e in zip(counts, expected))
    ratios.append({"counts": counts, "shares": shares, "expected": [square, float(stats.chi2.sf(square, groups - 1))]})

print(json.dumps({
    "erf": [[x, float(special.erf(x))] for x in points],
    "erfc": [[x, float(special.erfc(x))] for x in points],
    "twoSidedP": [[x, float(2 * stats.norm.sf(x))] for x in points],
    "wilson": [[hits, total, *map(float, wilson(hits, total))] for hits, total in proportions],
    "pooled": [[*base, *other, *map(float, pooled(base, other))] for base, other in pairs],
    "chiSquare": [[x, df, float(stats.chi2.sf(x, df))] for x, df in squares],
    "sampleRatio": ratios,
}, indent=1))
