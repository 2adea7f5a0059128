import { readWord } from '../config-values.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import { standsBefore } from '../stages/candidates.ts';
import { bestLeft } from './best-left.ts';
import { certain, type RankMethodKind } from './rank-method.ts';

export const roundRobinWords = ['category', 'subCategory', 'productType', 'channel'] as const;
type By = (typeof roundRobinWords)[number];

/** Groups in the order of their best member. Each turn takes the first of the next group that has one left. */
export const roundRobinKind: RankMethodKind = {
  name: 'round_robin',
  compile(config) {
    const by = readWord(config.roundRobinBy, roundRobinWords) ?? 'category';
    return {
      name: 'round_robin',
      begin(run) {
        const groups = groupsOf(run, by);
        let turn = 0;
        return {
          next(left) {
            for (let attempts = 0; attempts < groups.length; attempts++) {
              const group = groups[turn % groups.length];
              turn += 1;
              const candidate = bestLeft(run, (other) => groupOf(other, by) === group && left(other));
              if (candidate !== null) return { candidate, pick: certain };
            }
            return null;
          },
        };
      },
    };
  },
};

/** Candidates without a group form a group of their own: null. */
function groupOf({ offer, creative }: Candidate, by: By): string | null {
  switch (by) {
    case 'category':
      return offer.categoryId;
    case 'subCategory':
      return offer.row.subCategoryId;
    case 'productType':
      return offer.row.productType;
    case 'channel':
      return creative?.row.channelId ?? null;
  }
}

function groupsOf(run: Run, by: By): readonly (string | null)[] {
  const best = new Map<string | null, Candidate>();
  for (const candidate of run.list) {
    if (candidate.reason !== null) continue;
    const group = groupOf(candidate, by);
    const known = best.get(group);
    if (known === undefined || standsBefore(run, candidate, known)) best.set(group, candidate);
  }
  return [...best].sort(([, a], [, b]) => (standsBefore(run, a, b) ? -1 : 1)).map(([group]) => group);
}
