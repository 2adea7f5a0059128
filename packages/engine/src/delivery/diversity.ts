import { readNumber, readObject } from '../config-values.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import { standsBefore } from '../stages/candidates.ts';
import { maxScoreOf } from './best-left.ts';
import { certain, type RankMethodKind } from './rank-method.ts';

interface Similarity {
  readonly category: number;
  readonly subCategory: number;
  readonly productType: number;
}

/**
 * Maximal marginal relevance: argmax of `lambda*n - (1-lambda)*max sim` to the items already chosen; with
 * `maxPerCategory`, members of a full category wait while any other is left (docs/design/api-decisioning.md 10).
 */
export const diversityKind: RankMethodKind = {
  name: 'diversity',
  compile(config) {
    const lambda = readNumber(config.lambda ?? config.diversityLambda, 0.7);
    const maxPerCategory = readNumber(config.maxPerCategory, 0);
    const weights = readObject(config.similarity);
    const similarity: Similarity = {
      category: readNumber(weights.category, 0.5),
      subCategory: readNumber(weights.subCategory, 0.3),
      productType: readNumber(weights.productType, 0.2),
    };
    return {
      name: 'diversity',
      begin(run) {
        const maxScore = maxScoreOf(run);
        const chosen: Candidate[] = [];
        const perCategory = new Map<string, number>();
        let most = maxPerCategory;
        const isFull = ({ offer }: Candidate): boolean =>
          most > 0 && offer.categoryId !== null && (perCategory.get(offer.categoryId) ?? 0) >= most;
        const value = (candidate: Candidate): number => {
          const n = maxScore === 0 ? 0 : run.scratch.columns.score[candidate.at]! / maxScore;
          return lambda * n - (1 - lambda) * closest(candidate, chosen, similarity);
        };
        return {
          next(left) {
            let candidate = argmax(run, (other) => left(other) && !isFull(other), value);
            // All that are left belong to full categories: raise the maximum until one doesn't.
            while (candidate === null && most > 0 && run.list.some(left)) {
              most += 1;
              candidate = argmax(run, (other) => left(other) && !isFull(other), value);
            }
            return candidate === null ? null : { candidate, pick: certain };
          },
          took(candidate) {
            chosen.push(candidate);
            const { categoryId } = candidate.offer.row;
            if (categoryId !== null) perCategory.set(categoryId, (perCategory.get(categoryId) ?? 0) + 1);
          },
          waits: isFull,
        };
      },
    };
  },
};

function argmax(
  run: Run,
  left: (candidate: Candidate) => boolean,
  value: (candidate: Candidate) => number,
): Candidate | null {
  let best: Candidate | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const candidate of run.list) {
    if (!left(candidate)) continue;
    const own = value(candidate);
    if (own < most || (own === most && best !== null && !standsBefore(run, candidate, best))) continue;
    best = candidate;
    most = own;
  }
  return best;
}

/** Returns the largest similarity to a chosen item; 0 without one. */
function closest(candidate: Candidate, chosen: readonly Candidate[], weights: Similarity): number {
  let most = 0;
  const { row } = candidate.offer;
  for (const other of chosen) {
    const { row: otherRow } = other.offer;
    let sum = 0;
    if (row.categoryId !== null && row.categoryId === otherRow.categoryId) sum += weights.category;
    if (row.subCategoryId !== null && row.subCategoryId === otherRow.subCategoryId) sum += weights.subCategory;
    if (row.productType !== null && row.productType === otherRow.productType) sum += weights.productType;
    if (sum > most) most = sum;
  }
  return most;
}
