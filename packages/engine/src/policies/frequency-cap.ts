import type { Builder } from '../compile/builder.ts';
import {
  type ConfigReader,
  type ConfigRemark,
  type JsonObject,
  readConfig,
  unknownKeys,
} from '../compile/config-problems.ts';
import type { Scope } from '../compile/scopes.ts';
import type { WindowSpec } from '../input.ts';
import type { Candidate, Run } from '../run.ts';
import type { Json } from '../snapshot.ts';
import { bucketOf, bucketOfLane, type Per, perWords, type Reach } from './counted-set.ts';
import { campaignOf } from './lane-view.ts';
import type { PolicyKind } from './policy-kind.ts';
import { addTally, tallyOf, tallyReaches } from './tally.ts';

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
  remarks,
  compile(policy, scope, builder) {
    const { cap } = parse(policy.config);
    const counter = createCounter(cap, scope, builder);
    return {
      role: 'block',
      final: false,
      bindsMandatory: true,
      needsCreative: cap.per === 'creative' || cap.per === 'channel',
      reach: counter.reachOf,
      blocks: counter.isFull,
      explain(run, candidate) {
        const full = counter.full(run, candidate);
        if (full === null) return { reason: '', detail: null };
        const { limit, actual, word } = full;
        return {
          reason: `frequency_cap exceeded: ${limit.max}/${limit.word} at scope=${word}`,
          detail: { period: limit.period, max: limit.max, actual, ...limit.length },
        };
      },
      take: counter.take,
    };
  },
};

interface Counter {
  reachOf(run: Run): Reach;
  /** Whether some limit has nothing left for the candidate. */
  isFull(run: Run, candidate: Candidate): boolean;
  /** The first limit with nothing left for the candidate, or null. */
  full(run: Run, candidate: Candidate): FullLimit | null;
  take(run: Run, candidate: Candidate): boolean;
}

interface FullLimit {
  readonly limit: Limit;
  readonly actual: number;
  readonly word: string;
}

function createCounter(cap: Cap, scope: Scope, builder: Builder): Counter {
  const limits: readonly Limit[] = cap.limits.map(({ spec, ...rest }) => ({ ...rest, window: builder.window(spec) }));
  const { assignments } = scope;
  // One row of the tally for each limit of each assignment, which counts for itself.
  const firstRow = builder.rows(assignments.length * limits.length);
  const closed = limits.some((limit) => limit.max === 0);
  const byCampaign = cap.withinCampaignId !== null || cap.excludeCampaignIds.length > 0;
  const isFar = ({ lanes, mostItems }: Run): boolean => {
    for (let l = 0; l < limits.length; l++) {
      const { window, max } = limits[l]!;
      if (lanes.totals[window]! + mostItems >= max) return false;
    }
    return true;
  };
  const count = (run: Run): Reach => {
    const { lanes } = run;
    let clear = true;
    let offers: number[] | null = null;
    for (let lane = 0; lane < lanes.size; lane++) {
      if (byCampaign && !countsCampaign(cap, campaignOf(lanes, lane))) continue;
      for (let a = 0; a < assignments.length; a++) {
        if (!assignments[a]!.counts(lanes, lane)) continue;
        for (let l = 0; l < limits.length; l++) {
          const { window, max } = limits[l]!;
          const contacts = lanes.counts[window * lanes.size + lane]!;
          if (contacts === 0) continue;
          const full = addTally(firstRow + a * limits.length + l, bucketOfLane(cap.per, lanes, lane), contacts, max);
          if (!full) continue;
          clear = false;
          if (cap.per !== 'offer') continue;
          offers ??= [];
          offers.push(lanes.offer[lane]!);
        }
      }
    }
    if (closed) return 'all';
    if (clear) return 'none';
    return offers === null ? 'all' : offers.length > 1 ? offers.sort(ascending) : offers;
  };
  // The decision that the tally holds this policy's contacts of, and what came of it.
  let counted = 0;
  let reach: Reach = 'none';
  // All contacts of the customer and a full answer stay below each limit: it can block nothing, so nothing is counted.
  let far = false;
  const reachOf = (run: Run): Reach => {
    if (counted === run.number) return reach;
    far = isFar(run);
    reach = far ? 'none' : count(run);
    // Set last: a decision that throws on the way has counted nothing.
    counted = run.number;
    return reach;
  };
  return {
    reachOf,
    isFull(run, candidate) {
      reachOf(run);
      if (far) return false;
      for (let a = 0; a < assignments.length; a++) {
        if (!assignments[a]!.matches(candidate)) continue;
        const bucket = bucketOf(cap.per, candidate);
        for (let l = 0; l < limits.length; l++) {
          if (tallyReaches(firstRow + a * limits.length + l, bucket, limits[l]!.max)) return true;
        }
      }
      return false;
    },
    full(run, candidate) {
      reachOf(run);
      if (far) return null;
      for (let a = 0; a < assignments.length; a++) {
        const { matches, word } = assignments[a]!;
        if (!matches(candidate)) continue;
        for (let l = 0; l < limits.length; l++) {
          const limit = limits[l]!;
          const actual = tallyOf(firstRow + a * limits.length + l, bucketOf(cap.per, candidate));
          if (actual >= limit.max) return { limit, actual, word };
        }
      }
      return null;
    },
    take(run, candidate) {
      // An offer stands in an answer once, unless several placements may show it.
      if (cap.per === 'offer' && run.target.slots === null) return false;
      if (limits.length === 0 || !countsCampaign(cap, run.request.campaignId ?? null)) return false;
      reachOf(run);
      if (far) return false;
      let full = false;
      for (let a = 0; a < assignments.length; a++) {
        if (!assignments[a]!.matches(candidate)) continue;
        const bucket = bucketOf(cap.per, candidate);
        for (let l = 0; l < limits.length; l++) {
          if (addTally(firstRow + a * limits.length + l, bucket, 1, limits[l]!.max)) full = true;
        }
      }
      return full;
    },
  };
}

const ascending = (a: number, b: number): number => a - b;

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

const keys = [
  ...calendarLimits.map(({ key }) => key),
  'windows',
  'per',
  'withinCampaignId',
  'excludeCampaignIds',
  'bypassable',
];

function remarks(config: JsonObject): readonly ConfigRemark[] {
  const windows: readonly Json[] = Array.isArray(config.windows) ? config.windows : [];
  const found = unknownKeys(config, keys);
  windows.forEach((window, at) => {
    found.push(...unknownKeys(window, ['max', 'days', 'hours'], `/windows/${at}`));
  });
  if (parse(config).cap.limits.length === 0) {
    found.push({ path: '', nearest: null, reason: 'caps nothing: no limit is given' });
  }
  return found;
}

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

/** `withinCampaignId` counts that campaign only; `excludeCampaignIds` counts contacts without campaign (quality.md E18). */
function countsCampaign(cap: Cap, campaignId: string | null): boolean {
  if (cap.withinCampaignId !== null && campaignId !== cap.withinCampaignId) return false;
  return campaignId === null || cap.excludeCampaignIds.length === 0 || !cap.excludeCampaignIds.includes(campaignId);
}
