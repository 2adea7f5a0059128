import type { Builder } from '../compile/builder.ts';
import { type ConfigReader, type JsonObject, readConfig } from '../compile/config-problems.ts';
import type { Scope } from '../compile/scopes.ts';
import type { WindowSpec } from '../input.ts';
import type { Candidate, Run } from '../run.ts';
import type { Json } from '../snapshot.ts';
import { bucketIn, bucketOf, type CountedSet, foldLanes, type Per, perWords } from './counted-set.ts';
import type { PolicyKind } from './policy-kind.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mostContacts = 1_000_000;

/** One limit of a cap: at most `max` contacts in a window of the plan. */
interface Limit {
  readonly window: number;
  readonly max: number;
  readonly period: string;
  /** `day`, `week`, `month`, `total`, `7d`, `12h`. */
  readonly word: string;
  readonly length: { readonly windowDays: number } | { readonly windowHours: number } | null;
}

interface LimitSource extends Omit<Limit, 'window'> {
  readonly spec: WindowSpec;
}

interface Cap {
  readonly limits: readonly LimitSource[];
  readonly per: Per;
  readonly withinCampaignId: string | null;
  readonly excludeCampaignIds: readonly string[];
}

/** At most n contacts of the counted set per window (api-catalogue.md 8.1 to 8.3). */
export const frequencyCap: PolicyKind = {
  ruleType: 'frequency_cap',
  check: (config) => parse(config).problems,
  compile(policy, scope, position, builder) {
    const { cap } = parse(policy.config);
    const limits = cap.limits.map((limit) => bindLimit(limit, builder));
    return {
      role: 'block',
      final: false,
      bindsMandatory: true,
      needsCreative: cap.per === 'creative' || cap.per === 'channel',
      isClear: (run) => limits.length === 0 || countsOf(run, position, scope, cap, limits).clear,
      blocks: (run, candidate) => findFull(run, candidate, position, scope, cap, limits) !== null,
      explain(run, candidate) {
        const full = findFull(run, candidate, position, scope, cap, limits);
        if (full === null) return { reason: '', detail: null };
        const { limit, actual, word } = full;
        return {
          reason: `frequency_cap exceeded: ${limit.max}/${limit.word} at scope=${word}`,
          detail: { period: limit.period, max: limit.max, actual, ...limit.length },
        };
      },
      take(run, candidate) {
        if (limits.length === 0 || !countsCampaign(cap, run.request.campaignId ?? null)) return false;
        const counted = countsOf(run, position, scope, cap, limits);
        let full = false;
        for (let a = 0; a < scope.assignments.length; a++) {
          if (!scope.assignments[a]!.matches(candidate)) continue;
          const counts = bucketIn(counted.buckets[a]!, bucketOf(cap.per, candidate), zeros(limits));
          for (let l = 0; l < limits.length; l++) {
            counts[l] = counts[l]! + 1;
            if (counts[l]! >= limits[l]!.max) full = true;
          }
        }
        return full;
      },
    };
  },
};

function parse(config: JsonObject): { readonly cap: Cap; readonly problems: ConfigReader['problems'] } {
  const reader = readConfig(config);
  const limits: LimitSource[] = [];
  for (const { key, kind, period, word } of calendarLimits) {
    const max = reader.integer(key, 0, mostContacts);
    if (max !== undefined) limits.push({ spec: { kind }, max, period, word, length: null });
  }
  limits.push(...readRolling(config.windows, reader));
  const withinCampaignId = reader.text('withinCampaignId');
  if (withinCampaignId === '') reader.refuse('withinCampaignId', 'must not be empty');
  const excludeCampaignIds = reader.texts('excludeCampaignIds');
  if (excludeCampaignIds?.length === 0) reader.refuse('excludeCampaignIds', 'must not be an empty list');
  const cap: Cap = {
    limits,
    per: reader.word('per', perWords) ?? 'scope',
    withinCampaignId: withinCampaignId ?? null,
    excludeCampaignIds: excludeCampaignIds ?? [],
  };
  reader.flag('bypassable');
  return { cap, problems: reader.problems };
}

const calendarLimits = [
  { key: 'maxPerDay', kind: 'day', period: 'daily', word: 'day' },
  { key: 'maxPerWeek', kind: 'week', period: 'weekly', word: 'week' },
  { key: 'maxPerMonth', kind: 'month', period: 'monthly', word: 'month' },
  { key: 'maxTotal', kind: 'alltime', period: 'alltime', word: 'total' },
] as const;

/** `windows: [{ max, days }]` or `[{ max, hours }]`, at most 5 (api-catalogue.md 8.2). */
function readRolling(value: Json | undefined, reader: ConfigReader): LimitSource[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > 5) {
    reader.refuse('windows', 'must be a list of at most 5 windows');
    return [];
  }
  const limits: LimitSource[] = [];
  value.forEach((entry: Json, position) => {
    const limit = readWindow(entry);
    if (limit === null) {
      reader.refuse(`windows/${position}`, 'must be { max: 0-1000000, days: 1-365 } or { max, hours: 1-8760 }');
    } else {
      limits.push(limit);
    }
  });
  return limits;
}

function readWindow(entry: Json): LimitSource | null {
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return null;
  const reader = readConfig(entry as JsonObject);
  const max = reader.integer('max', 0, mostContacts);
  const days = reader.integer('days', 1, 365);
  const hours = reader.integer('hours', 1, 8760);
  if (reader.problems.length > 0 || max === undefined) return null;
  if (days !== undefined && hours === undefined) {
    return {
      spec: { kind: 'rolling', ms: days * dayMs },
      max,
      period: 'rolling',
      word: `${days}d`,
      length: { windowDays: days },
    };
  }
  if (hours !== undefined && days === undefined) {
    return {
      spec: { kind: 'rolling', ms: hours * hourMs },
      max,
      period: 'rolling',
      word: `${hours}h`,
      length: { windowHours: hours },
    };
  }
  return null;
}

function bindLimit({ spec, ...rest }: LimitSource, builder: Builder): Limit {
  return { ...rest, window: builder.window(spec) };
}

/** `withinCampaignId` counts that campaign only; `excludeCampaignIds` counts contacts without campaign (quality.md E18). */
function countsCampaign(cap: Cap, campaignId: string | null): boolean {
  if (cap.withinCampaignId !== null && campaignId !== cap.withinCampaignId) return false;
  return campaignId === null || cap.excludeCampaignIds.length === 0 || !cap.excludeCampaignIds.includes(campaignId);
}

function countsOf(run: Run, position: number, scope: Scope, cap: Cap, limits: readonly Limit[]): CountedSet {
  const known = run.counted[position];
  if (known !== undefined) return known;
  const { lanes } = run;
  const counted = foldLanes(lanes, scope, cap.per, zeros(limits), (counts, lane) => {
    if (!countsCampaign(cap, lanes.campaignId[lane]!)) return false;
    let full = false;
    for (let l = 0; l < limits.length; l++) {
      const limit = limits[l]!;
      counts[l] = counts[l]! + lanes.counts[limit.window]![lane]!;
      if (counts[l]! >= limit.max) full = true;
    }
    return full;
  });
  if (limits.some((limit) => limit.max === 0)) counted.clear = false;
  run.counted[position] = counted;
  return counted;
}

function zeros(limits: readonly Limit[]): readonly number[] {
  return limits.map(() => 0);
}

function findFull(
  run: Run,
  candidate: Candidate,
  position: number,
  scope: Scope,
  cap: Cap,
  limits: readonly Limit[],
): { readonly limit: Limit; readonly actual: number; readonly word: string } | null {
  const counted = countsOf(run, position, scope, cap, limits);
  for (let a = 0; a < scope.assignments.length; a++) {
    const assignment = scope.assignments[a]!;
    if (!assignment.matches(candidate)) continue;
    const counts = counted.buckets[a]!.get(bucketOf(cap.per, candidate));
    for (let l = 0; l < limits.length; l++) {
      const actual = counts === undefined ? 0 : counts[l]!;
      if (actual >= limits[l]!.max) return { limit: limits[l]!, actual, word: assignment.word };
    }
  }
  return null;
}
