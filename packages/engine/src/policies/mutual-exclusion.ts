import { integerField, textsField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject, ScopeAssignment, SnapshotPolicy } from '../plan/snapshot.ts';
import { oncePerDecision } from './counted-set.ts';
import { offerIdOf } from './lane-view.ts';
import type { PolicyKind } from './policy-kind.ts';
import { addTally, hasTally, raiseTally, tallyOf } from './tally.ts';

const dayMs = 86_400_000;

const fields = {
  excludeOfferIds: textsField('Offers that exclude each other and the offers in scope. At least one ID.'),
  lookbackDays: integerField(
    0,
    36_500,
    'Days of 24 hours for which a contact with one offer blocks the others. 0 applies to the same response only.',
    {
      default: 30,
    },
  ),
};

/**
 * A customer gets one of a group of offers: within one answer the first that's taken, over time the one of the latest
 * contact, while that's at most `lookbackDays` old (docs/design/api-catalogue.md 8.3). The group is the offers of the
 * policy's scopes and `excludeOfferIds`, and each excludes all others.
 */
export const mutualExclusion: PolicyKind = {
  ruleType: 'mutual_exclusion',
  fields,
  required: ['excludeOfferIds'],
  historyDays: (config) => parse(config).lookbackDays,
  check: (config) => parse(config).problems,
  scopes: scopesOf,
  compile(policy, _scope, builder) {
    const { lookbackDays } = parse(policy.config);
    const lookbackMs = lookbackDays * dayMs;
    const ids = groupOf(policy);
    /** Members by id: contacts with one that is not active now exclude the others too. */
    const members = new Map(ids.map((id, member) => [id, member]));
    const names = new Map(builder.snapshot.offers.map(({ id, name }) => [id, name]));
    // A contact exactly as old as the limit still counts.
    if (lookbackDays > 0) builder.cooldown(lookbackMs + 1);
    // Rows of the tally by member: latest contact, and how often it's in the answer.
    const lastRow = builder.rows(2);
    const takenRow = lastRow + 1;
    const reachOf = oncePerDecision((run) => {
      const { lanes, scratch } = run;
      let found = false;
      if (lookbackDays === 0) return 'none';
      for (let lane = 0; lane < lanes.size; lane++) {
        if (run.now - lanes.lastAt[lane]! > lookbackMs) continue;
        const member = members.get(offerIdOf(lanes, lane));
        if (member === undefined) continue;
        raiseTally(scratch.tally, lastRow, member, lanes.lastAt, lane);
        found = true;
      }
      return found ? 'all' : 'none';
    });
    /** The member that excludes the candidate, or null. */
    const conflict = (run: Run, candidate: Candidate): number | null => {
      const own = members.get(candidate.offer.id);
      if (own === undefined) return null;
      reachOf(run);
      const { tally } = run.scratch;
      let latest = hasTally(tally, lastRow, own) ? tallyOf(tally, lastRow, own) : Number.NEGATIVE_INFINITY;
      let found: number | null = null;
      for (let member = 0; member < ids.length; member++) {
        if (member === own) continue;
        if (hasTally(tally, takenRow, member)) return member;
        if (!hasTally(tally, lastRow, member) || tallyOf(tally, lastRow, member) <= latest) continue;
        latest = tallyOf(tally, lastRow, member);
        found = member;
      }
      return found;
    };
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: true,
      reach: reachOf,
      blocks: (run, candidate) => conflict(run, candidate) !== null,
      explain(run, candidate) {
        const other = conflict(run, candidate);
        const id = (other === null ? undefined : ids[other]) ?? null;
        return {
          reason: `mutually exclusive with offer ${id === null ? '' : (names.get(id) ?? id)}`,
          detail: { offerGroup: ids, conflictingOfferId: id },
        };
      },
      take(run, candidate) {
        const own = members.get(candidate.offer.id);
        if (own === undefined) return false;
        reachOf(run);
        return addTally(run.scratch.tally, takenRow, own, 1, 1);
      },
    };
  },
};

/** Sorted ids of the group. */
function groupOf({ scopes, config }: SnapshotPolicy): string[] {
  const own = scopes.flatMap(({ scope, scopeId }) => (scope === 'offer' && scopeId !== null ? [scopeId] : []));
  return [...new Set([...own, ...parse(config).offerIds])].sort();
}

/** Every member is in scope, wherever it's named. A channel, creative or category narrows where the policy acts. */
function scopesOf(policy: SnapshotPolicy): readonly ScopeAssignment[] {
  const narrows = policy.scopes.some(({ scope }) => scope !== 'global' && scope !== 'offer');
  return narrows ? policy.scopes : groupOf(policy).map((scopeId) => ({ scope: 'offer', scopeId }));
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const listed = reader.texts('excludeOfferIds');
  if (listed === undefined && reader.problems.length === 0) reader.refuse('excludeOfferIds', 'is required');
  if (listed?.length === 0) reader.refuse('excludeOfferIds', 'must not be an empty list');
  const lookbackDays = reader.integer('lookbackDays', fields.lookbackDays) ?? 30;
  reader.flag('bypassable');
  return { offerIds: listed ?? [], lookbackDays, problems: reader.problems };
}
