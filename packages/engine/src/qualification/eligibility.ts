import { compileCondition } from '../conditions/compile-condition.ts';
import type { Builder } from '../plan/builder.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { CompiledCondition } from '../plan/condition.ts';
import type { Eligibility } from '../plan/offer.ts';
import type { Run } from '../plan/run.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { propensityOf } from '../scoring/propensity.ts';
import { focus } from '../stages/candidates.ts';
import { wishesForSegments, wishesOf } from '../why-not/edits.ts';

/** What an offer's eligibility asks, as it's stored. */
interface EligibilityConfig {
  readonly threshold: Json;
  readonly requiredSegments: readonly string[];
  readonly excludedSegments: readonly string[];
  readonly condition: CompiledCondition | null;
  /** The key that can't be read, which closes the offer; null: none. */
  readonly broken: string | null;
}

function readEligibility(source: JsonObject): EligibilityConfig {
  const threshold = source.propensityThreshold ?? null;
  const required = readNames(source.requiredSegments);
  const excluded = readNames(source.excludedSegments);
  let condition: CompiledCondition | null = null;
  let broken: string | null = null;
  if (source.conditions !== undefined && source.conditions !== null) {
    const compiled = compileCondition(source.conditions);
    if (compiled.ok) condition = compiled.condition;
    else broken = 'conditions';
  }
  if (threshold !== null && !(typeof threshold === 'number' && threshold >= 0 && threshold <= 1))
    broken = 'propensityThreshold';
  if (required === null) broken = 'requiredSegments';
  if (excluded === null) broken = 'excludedSegments';
  return { threshold, requiredSegments: required ?? [], excludedSegments: excluded ?? [], condition, broken };
}

/** Null when there is nothing to ask. What cannot be read closes the offer. */
export function compileEligibility(source: JsonObject | null, builder: Builder): Eligibility | null {
  if (source === null) return null;
  const { threshold, requiredSegments, excludedSegments, condition, broken } = readEligibility(source);
  const segments = [...requiredSegments, ...excludedSegments];
  if (broken === null && threshold === null && segments.length === 0 && condition === null) return null;
  builder.readSegments(segments);
  if (condition !== null) builder.readPaths(condition.paths);
  const missing = (run: Run): string[] => requiredSegments.filter((segment) => !run.segments.has(segment));
  const failsThreshold = (run: Run, candidate: Candidate): string | null =>
    typeof threshold === 'number' && propensityOf(run, candidate) < threshold ? 'propensityThreshold' : null;
  const matched = (run: Run): string | undefined => excludedSegments.find((segment) => run.segments.has(segment));
  return {
    readsPropensity: typeof threshold === 'number',
    failsThreshold,
    fails(run, candidate, waits) {
      if (broken !== null) return broken;
      if (requiredSegments.length > 0 && missing(run).length > 0) return 'requiredSegments';
      if (excludedSegments.length > 0 && matched(run) !== undefined) return 'excludedSegments';
      if (condition !== null) {
        focus(run, candidate);
        if (!condition.test(run.scope)) return 'conditions';
      }
      return waits ? null : failsThreshold(run, candidate);
    },
    wishes(run, candidate) {
      focus(run, candidate);
      const conditions = condition === null || condition.test(run.scope) ? [] : wishesOf(condition, run.scope);
      return [...wishesForSegments(missing(run)), ...conditions];
    },
    explain(run, candidate, key) {
      const detail = (more: { readonly [name: string]: Json }): Json => ({ source: 'eligibility', key, ...more });
      if (key === broken)
        return { reason: `eligibility: ${key} cannot be read`, detail: detail({ error: 'rule_error' }) };
      if (key === 'requiredSegments') {
        return {
          reason: `Missing required segments: ${missing(run).join(', ')}`,
          detail: detail({ required: requiredSegments, missing: missing(run) }),
        };
      }
      if (key === 'excludedSegments') {
        const segment = matched(run) ?? null;
        return { reason: `customer is in excluded segment ${segment}`, detail: detail({ matchedSegment: segment }) };
      }
      if (key === 'propensityThreshold') {
        const actualScore = propensityOf(run, candidate);
        return {
          reason: `propensity ${actualScore} below ${threshold}`,
          detail: detail({ minScore: threshold, actualScore }),
        };
      }
      return { reason: 'eligibility conditions do not hold', detail: detail({}) };
    },
  };
}

function readNames(value: Json | undefined): readonly string[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  return value.every((entry): entry is string => typeof entry === 'string') ? value : null;
}
