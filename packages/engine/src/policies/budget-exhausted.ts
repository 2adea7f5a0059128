import { anyNumberField, wordField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { VolumeKey } from '../plan/input.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject, ScopeAssignment } from '../plan/snapshot.ts';
import { need } from './outcomes/outcome-config.ts';
import type { PolicyKind } from './policy-kind.ts';
import { volumeFull, volumeOf } from './volumes.ts';

const budgetFields = ['impressions', 'spend'] as const;

const fields = {
  budgetField: wordField(budgetFields, 'What to add up over all customers: impressions, or what they cost.'),
  threshold: anyNumberField(
    "Budget after which the policy blocks: a number of impressions, or an amount in the tenant's currency.",
  ),
};

/**
 * Blocks what was shown, or has cost, this much over all customers (docs/design/api-catalogue.md 8.3,
 * docs/design/api-settled.md 61). Each assignment counts on its own, over all time.
 */
export const budgetExhausted: PolicyKind = {
  ruleType: 'budget_exhausted',
  fields,
  required: ['budgetField', 'threshold'],
  historyDays: () => 0,
  check: (config) => parse(config).problems,
  compile(policy, scope, builder) {
    const { budgetField, threshold } = parse(policy.config);
    const isSpend = budgetField === 'spend';
    const limit = {
      measure: isSpend ? 'spentCents' : 'impressions',
      max: isSpend ? centsOf(threshold) : threshold,
      nextCents: 0,
    } as const;
    const assigned = policy.scopes.flatMap((assignment, at) => {
      const key = volumeKey(assignment);
      const { matches, word } = scope.assignments[at]!;
      return key === null ? [] : [{ matches, word, volume: builder.volume(key, limit) }];
    });
    const fullOf = (run: Run, candidate: Candidate) =>
      assigned.find(({ matches, volume }) => matches(candidate) && volumeFull(limit, volumeOf(run.volumes, volume)));
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: false,
      reach: (run) =>
        assigned.some(({ volume }) => volumeFull(limit, volumeOf(run.volumes, volume))) ? 'all' : 'none',
      blocks: (run, candidate) => fullOf(run, candidate) !== undefined,
      explain(run, candidate) {
        const full = fullOf(run, candidate);
        if (full === undefined) return { reason: '', detail: null };
        const used = volumeOf(run.volumes, full.volume);
        const actual = isSpend ? used.spentCents / 100 : used.impressions;
        return {
          reason: `budget_exhausted: ${budgetField} ${actual} of ${threshold} at scope=${full.word}`,
          detail: { budgetField, threshold, actual },
        };
      },
      // The volumes have counted the item already, once for all policies.
      take: (run, candidate) => fullOf(run, candidate) !== undefined,
    };
  },
};

/** The fewest cents that are at least this many units of the currency, whatever the product of the doubles is. */
function centsOf(units: number): number {
  const cents = Math.ceil(units * 100);
  return (cents - 1) / 100 >= units ? cents - 1 : cents;
}

const words = ['global', 'offer', 'creative', 'channel', 'category', 'subcategory'] as const;

function volumeKey({ scope, scopeId }: ScopeAssignment): VolumeKey | null {
  const word = words.find((each) => each === scope);
  return word === undefined ? null : { scope: word, scopeId };
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const budgetField = reader.word('budgetField', budgetFields);
  need(reader, 'budgetField', budgetField);
  const threshold = reader.number('threshold', fields.threshold);
  need(reader, 'threshold', threshold);
  reader.flag('bypassable');
  return { budgetField: budgetField ?? budgetFields[0], threshold: threshold ?? 0, problems: reader.problems };
}
