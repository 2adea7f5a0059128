import { numberField } from '../../compile/config-fields.ts';
import { readConfig } from '../../compile/config-problems.ts';
import type { Candidate } from '../../plan/candidate.ts';
import type { Run } from '../../plan/run.ts';
import type { Scope } from '../../plan/scope.ts';
import type { JsonObject } from '../../plan/snapshot.ts';
import { bucketOf, bucketOfLane, oncePerDecision, type Per, perField, perWords, reachOfFound } from '../counted-set.ts';
import { numberIn } from '../history-days.ts';
import type { PolicyKind } from '../policy-kind.ts';
import { hasTally, raiseTally } from '../tally.ts';
import {
  afterOutcomeField,
  daysAgo,
  daysAgoText,
  daysToMs,
  longestDays,
  need,
  outcomeRemarks,
  readOutcomes,
} from './outcome-config.ts';
import { outcomeKeyOf, outcomesOf } from './outcome-view.ts';

const fields = {
  afterOutcome: afterOutcomeField('After one of them, offers are suppressed for a time.'),
  suppressForDays: numberField(0, longestDays, 'Days of 24 hours to block after an outcome. 0 disables the policy.'),
  per: perField,
};

/**
 * Blocks within `suppressForDays` of the customer's latest outcome of `afterOutcome` in the scope. Exactly that long
 * ago passes, and 0 days never block (docs/design/api-catalogue.md 8.3).
 */
export const outcomeBased: PolicyKind = {
  ruleType: 'outcome_based',
  fields,
  required: ['afterOutcome', 'suppressForDays'],
  historyDays: (config) => numberIn(config, 'suppressForDays'),
  check: (config) => parse(config).problems,
  remarks: (config) => outcomeRemarks(config, 'suppressForDays'),
  compile(policy, scope, builder) {
    const { outcomes, suppressForDays, per } = parse(policy.config);
    const suppressMs = daysToMs(suppressForDays);
    const keys = new Set(outcomes);
    if (suppressMs > 0) builder.outcomes(outcomes, suppressMs);
    const { assignments } = scope;
    // One row of the tally per assignment: the latest outcome that still suppresses.
    const firstRow = builder.rows(assignments.length);
    const reachOf = oncePerDecision((run) => {
      if (suppressMs === 0 || run.input.outcomes === undefined) return 'none';
      const view = outcomesOf(run);
      let found = false;
      let offers: number[] | null = null;
      for (let at = 0; at < view.size; at++) {
        if (run.now - view.lastAt[at]! >= suppressMs || !keys.has(outcomeKeyOf(run, view, at))) continue;
        for (let a = 0; a < assignments.length; a++) {
          if (!assignments[a]!.counts(view, at)) continue;
          raiseTally(run.scratch.tally, firstRow + a, bucketOfLane(per, view, at), view.lastAt, at);
          found = true;
          if (per !== 'offer') continue;
          offers ??= [];
          offers.push(view.offer[at]!);
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
        for (let a = 0; a < assignments.length; a++) {
          if (!assignments[a]!.matches(candidate)) continue;
          if (hasTally(run.scratch.tally, firstRow + a, bucketOf(per, candidate))) return true;
        }
        return false;
      },
      explain(run, candidate) {
        const latest = latestOutcome(run, candidate, scope, per, keys);
        if (latest === null) return { reason: '', detail: null };
        const { key, at, word } = latest;
        const days = daysAgoText(run.now, at);
        return {
          reason: `outcome_based: ${key} ${days} days ago, suppressed for ${suppressForDays} days`,
          detail: {
            afterOutcome: outcomes,
            suppressForDays,
            daysSince: daysAgo(run.now, at),
            lastOutcome: key,
            scope: word,
          },
        };
      },
      take: null,
    };
  },
};

interface Latest {
  readonly key: string;
  readonly at: number;
  /** Scope word of the assignment that it is of. */
  readonly word: string;
}

/** The latest outcome in a scope of the candidate. */
function latestOutcome(
  run: Run,
  candidate: Candidate,
  scope: Scope,
  per: Per,
  keys: ReadonlySet<string>,
): Latest | null {
  const view = outcomesOf(run);
  const bucket = bucketOf(per, candidate);
  let latest: Latest | null = null;
  for (const { matches, counts, word } of scope.assignments) {
    if (!matches(candidate)) continue;
    for (let at = 0; at < view.size; at++) {
      const key = outcomeKeyOf(run, view, at);
      if (!keys.has(key) || !counts(view, at) || bucketOfLane(per, view, at) !== bucket) continue;
      if (latest === null || view.lastAt[at]! > latest.at) latest = { key, at: view.lastAt[at]!, word };
    }
  }
  return latest;
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const outcomes = readOutcomes(reader, config, true) ?? [];
  const suppressForDays = reader.number('suppressForDays', fields.suppressForDays);
  need(reader, 'suppressForDays', suppressForDays);
  const per: Per = reader.word('per', perWords) ?? 'scope';
  reader.flag('bypassable');
  return { outcomes, suppressForDays: suppressForDays ?? 0, per, problems: reader.problems };
}
