import { numberField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Scope } from '../plan/scope.ts';
import type { Tally } from '../plan/scratch.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { bucketOf, bucketOfLane, oncePerDecision, type Per, perField, perWords, reachOfFound } from './counted-set.ts';
import { numberIn } from './history-days.ts';
import type { PolicyKind } from './policy-kind.ts';
import { hasTally, raiseTally, tallyOf } from './tally.ts';

const hourMs = 3_600_000;

const fields = {
  cooldownHours: numberField(0, 87_600, 'Hours to wait after the latest contact. 0 disables the policy.'),
  per: perField,
};

/** No contact within `cooldownHours` of the latest contact of the counted set; exactly that long ago passes. */
export const cooldown: PolicyKind = {
  ruleType: 'cooldown',
  fields,
  required: ['cooldownHours'],
  historyDays: (config) => numberIn(config, 'cooldownHours') / 24,
  check(config) {
    const { problems, cooldownHours } = parse(config);
    return cooldownHours === undefined && problems.length === 0
      ? [{ path: '/cooldownHours', message: 'is required' }]
      : problems;
  },
  remarks: ({ cooldownHours }) =>
    cooldownHours === 0
      ? [
          {
            path: '/cooldownHours',
            nearest: null,
            reason: 'With 0 the policy blocks nothing.',
            suggestion: 'Set cooldownHours to a value above 0.',
          },
        ]
      : [],
  compile(policy, scope, builder) {
    const { cooldownHours = 0, per } = parse(policy.config);
    const cooldownMs = cooldownHours * hourMs;
    builder.cooldown(cooldownMs);
    const { assignments } = scope;
    // One row of the tally per assignment: the latest contact with a running cooldown.
    const firstRow = builder.rows(assignments.length);
    const reachOf = oncePerDecision((run) => {
      const { lanes } = run;
      let found = false;
      let offers: number[] | null = null;
      for (let lane = 0; lane < lanes.size; lane++) {
        if (run.now - lanes.lastAt[lane]! >= cooldownMs) continue;
        for (let a = 0; a < assignments.length; a++) {
          if (!assignments[a]!.counts(lanes, lane)) continue;
          raiseTally(run.scratch.tally, firstRow + a, bucketOfLane(per, lanes, lane), lanes.lastAt, lane);
          found = true;
          if (per !== 'offer') continue;
          offers ??= [];
          offers.push(lanes.offer[lane]!);
        }
      }
      return reachOfFound(found, offers);
    });
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: per === 'creative' || per === 'channel',
      countsAll: false,
      reach: reachOf,
      blocks(run, candidate) {
        reachOf(run);
        const { tally } = run.scratch;
        for (let a = 0; a < assignments.length; a++) {
          if (assignments[a]!.matches(candidate) && hasTally(tally, firstRow + a, bucketOf(per, candidate)))
            return true;
        }
        return false;
      },
      explain(run, candidate) {
        reachOf(run);
        const latest = latestContact(run.scratch.tally, candidate, scope, per, firstRow);
        // Two decimals, rounded down: 36,000 ms are a hundredth of an hour. A contact dated ahead is 0 hours ago.
        const hoursSinceLast = latest === null ? 0 : Math.max(0, Math.floor((run.now - latest.at) / 36_000) / 100);
        return {
          reason: `cooldown active: ${hoursSinceLast} of ${cooldownHours} h at scope=${latest?.word ?? 'global'}`,
          detail: { cooldownHours, hoursSinceLast },
        };
      },
      take: null,
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const cooldownHours = reader.number('cooldownHours', fields.cooldownHours);
  const per: Per = reader.word('per', perWords) ?? 'scope';
  reader.flag('bypassable');
  return { cooldownHours, per, problems: reader.problems };
}

/** Returns the latest contact with a running cooldown. */
function latestContact(
  tally: Tally,
  candidate: Candidate,
  scope: Scope,
  per: Per,
  firstRow: number,
): { readonly at: number; readonly word: string } | null {
  const bucket = bucketOf(per, candidate);
  let latest: { readonly at: number; readonly word: string } | null = null;
  for (const [a, { matches, word }] of scope.assignments.entries()) {
    if (!matches(candidate) || !hasTally(tally, firstRow + a, bucket)) continue;
    const at = tallyOf(tally, firstRow + a, bucket);
    if (latest === null || at > latest.at) latest = { at, word };
  }
  return latest;
}
