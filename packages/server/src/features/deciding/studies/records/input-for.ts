import {
  type ContactCounts,
  type Contacts,
  type Decision,
  type DecisionInput,
  decide,
  foldContacts,
  type Plan,
  reduceRequest,
  unpackInput,
  usesSegment,
  type WindowSpec,
} from '@arbiter/engine';
import { isZone, zoneClock } from '../../../../platform/time/zones.ts';
import type { CompiledFlow } from '../../plans/index.ts';
import { createLackingNames } from './lacking.ts';
import { laneName } from './past-contacts.ts';
import type { WholeRecord } from './record-reader.ts';

/** A record's input for another plan, or the reason it can't be built. */
export type CandidateInput =
  | { readonly input: DecisionInput; readonly problem: null }
  | {
      readonly input: null;
      readonly problem: 'withheld' | 'input_not_recorded' | 'external_missing' | 'state_missing' | 'arm_absent';
      readonly lacking: readonly string[];
    };

/** Where the contacts of a record come from. */
export interface ContactSource {
  /** All contacts that the decision saw, from history; null if history doesn't go back far enough. */
  contacts(): Contacts | null;
  /** Whether to count all windows from these, or only those that the record lacks. */
  readonly countsAll: boolean;
}

export type InputFor = (whole: WholeRecord, source: ContactSource) => CandidateInput;

/** Returns a function that turns a record of any plan into an input for this one (docs/design/lead.md 2). */
export function createInputFor(candidate: CompiledFlow): InputFor {
  const { plan } = candidate;
  const lackingIn = createLackingNames(candidate);
  const keepsSegment = usesSegment(plan.reads);
  return (whole, source) => {
    const { withheld, notRecorded } = lackingIn(whole);
    if (withheld.length > 0) return notEvaluable('withheld', withheld);
    if (notRecorded.length > 0) return notEvaluable('input_not_recorded', notRecorded);
    const { flow, packed } = whole;
    const recorded = unpackInput(packed, {
      requestId: whole.record.requestId,
      seed: whole.seed,
      evidence: whole.evidence,
      modelStates: whole.modelStates,
      objectiveCounts: whole.objectiveCounts,
      windows: flow.plan.windows.length,
      refs: flow.refs,
    });
    if (lacksArm(plan, recorded)) return notEvaluable('arm_absent');
    if (lacksState(plan, flow.plan, recorded)) return notEvaluable('state_missing');
    const zones = zonesFor(plan, recorded);
    const contacts = contactsFor(plan, flow.plan, { ...recorded, zones }, source);
    if (contacts === null) return notEvaluable('state_missing');
    const input: DecisionInput = {
      ...recorded,
      zones,
      contacts,
      request: reduceRequest(recorded.request, plan),
      segments: recorded.segments.filter(keepsSegment),
      outcomes: outcomesFor(plan, recorded),
      soldOut: plan.tracksStock ? recorded.soldOut : undefined,
      volumes: plan.volumes === null ? undefined : recorded.volumes,
      suppressions: suppressionsFor(candidate, flow, recorded),
    };
    return webhooksAgree(plan, flow.plan, recorded, input)
      ? { input, problem: null }
      : notEvaluable('external_missing');
  };
}

const notEvaluable = (
  problem: Exclude<CandidateInput['problem'], null>,
  lacking: readonly string[] = [],
): CandidateInput => ({
  input: null,
  problem,
  lacking,
});

/** Whether the plan lacks an experiment of the record: customers keep their recorded variants. */
function lacksArm({ experiments }: Plan, { experiments: assigned = {} }: DecisionInput): boolean {
  const known = new Set(experiments.map(({ key }) => key));
  return Object.keys(assigned).some((key) => !known.has(key));
}

/** Whether the plan needs counts or states that the record doesn't have. */
function lacksState(plan: Plan, recorded: Plan, input: DecisionInput): boolean {
  if (plan.tracksStock && !recorded.tracksStock) return true;
  if (plan.reads.objectiveCounts && input.objectiveCounts === undefined) return true;
  const states = input.modelStates ?? {};
  if (plan.models.some(({ key, hasState }) => hasState && !Object.hasOwn(states, key))) return true;
  return lacksOutcomes(plan, recorded) || lacksVolumes(plan, recorded);
}

function lacksOutcomes({ outcomeReads: wanted }: Plan, { outcomeReads: recorded }: Plan): boolean {
  if (wanted === null) return false;
  if (recorded === null || recorded.horizonMs < wanted.horizonMs) return true;
  return recorded.keys !== null && (wanted.keys === null || wanted.keys.some((key) => !recorded.keys!.includes(key)));
}

/** Records hold the volumes that were near the limits of their own plan. */
function lacksVolumes({ volumes: wanted }: Plan, { volumes: recorded }: Plan): boolean {
  if (wanted === null) return false;
  const known = new Set(recorded?.counted.map((volume) => JSON.stringify(volume)) ?? []);
  return wanted.counted.some((volume) => !known.has(JSON.stringify(volume)));
}

function outcomesFor({ outcomeReads }: Plan, { outcomes = [], now }: DecisionInput): DecisionInput['outcomes'] {
  if (outcomeReads === null) return undefined;
  const { keys, horizonMs } = outcomeReads;
  return outcomes.filter(({ key, at }) => now - at < horizonMs && (keys === null || keys.includes(key)));
}

/** Leaves out suppressions of policies that differ in the plan, as decisions do. */
function suppressionsFor(
  candidate: CompiledFlow,
  recorded: CompiledFlow,
  { suppressions }: DecisionInput,
): DecisionInput['suppressions'] {
  if (suppressions.every(({ policyId }) => policyId === null)) return suppressions;
  const [marks, before] = [candidate.outcomePolicyMarks(), recorded.outcomePolicyMarks()];
  return suppressions.filter(
    ({ policyId }) => policyId === null || (marks.has(policyId) && marks.get(policyId) === before.get(policyId)),
  );
}

function zonesFor(plan: Plan, { zones, profile, enriched, now }: DecisionInput): DecisionInput['zones'] {
  const found = { ...zones };
  const add = (zone: unknown): void => {
    if (typeof zone === 'string' && !Object.hasOwn(found, zone) && isZone(zone)) found[zone] = zoneClock(zone, now);
  };
  for (const zone of plan.zones) add(zone);
  for (const field of plan.zoneFields) {
    add(profile[field]);
    for (const rows of Object.values(enriched)) for (const row of rows) if (row !== null) add(row[field]);
  }
  return found;
}

/** True when the plan counts something that the recorded one didn't. */
export const needsHistory = (plan: Plan, recorded: Plan): boolean =>
  plan.longestCooldownMs > recorded.longestCooldownMs ||
  plan.windows.some((window) => placeOf(recorded.windows, window) < 0);

/** Returns null if history doesn't go back far enough. */
function contactsFor(plan: Plan, recorded: Plan, input: DecisionInput, source: ContactSource): ContactCounts | null {
  const places = plan.windows.map((window) => placeOf(recorded.windows, window));
  if (!source.countsAll && !needsHistory(plan, recorded)) {
    const { lanes, lastAt, counts } = input.contacts;
    return { lanes, lastAt, counts: places.map((place) => counts[place]!) };
  }
  const contacts = source.contacts();
  if (contacts === null) return null;
  const clock = input.zones[plan.timezone];
  if (clock === undefined) return null;
  const folded = foldContacts(contacts, plan.windows, input.now, clock, { longestCooldownMs: plan.longestCooldownMs });
  return source.countsAll ? folded : merged(input.contacts, folded, places);
}

const placeOf = (windows: readonly WindowSpec[], wanted: WindowSpec): number =>
  windows.findIndex(
    (window) =>
      window.kind === wanted.kind &&
      (window.kind !== 'rolling' || wanted.kind !== 'rolling' || window.ms === wanted.ms),
  );

/** Combines the windows of the record with those that only history has. */
function merged(recorded: ContactCounts, folded: ContactCounts, places: readonly number[]): ContactCounts {
  const lanes = [...recorded.lanes];
  const numbers = new Map(lanes.map((lane, at) => [laneName(lane), at]));
  for (const lane of folded.lanes) {
    if (numbers.has(laneName(lane))) continue;
    numbers.set(laneName(lane), lanes.length);
    lanes.push(lane);
  }
  const lastAt = lanes.map((_, at) => recorded.lastAt[at] ?? Number.NEGATIVE_INFINITY);
  folded.lanes.forEach((lane, at) => {
    const to = numbers.get(laneName(lane))!;
    lastAt[to] = Math.max(lastAt[to]!, folded.lastAt[at]!);
  });
  const counts = places.map((place, window) => {
    if (place >= 0) return lanes.map((_, at) => recorded.counts[place]?.[at] ?? 0);
    const row = lanes.map(() => 0);
    folded.lanes.forEach((lane, at) => {
      row[numbers.get(laneName(lane))!] = folded.counts[window]?.[at] ?? 0;
    });
    return row;
  });
  return { lanes, lastAt, counts };
}

/** Whether the recorded plan sent each webhook of this plan the same request, so that its answer is known. */
function webhooksAgree(plan: Plan, recorded: Plan, before: DecisionInput, input: DecisionInput): boolean {
  if (plan.webhooks.length === 0) return true;
  const described = (each: Plan) => new Map(each.webhooks.map((webhook) => [webhook.nodeId, JSON.stringify(webhook)]));
  const [own, other] = [described(plan), described(recorded)];
  const questions = questionsOf(plan, input);
  const known = questionsOf(recorded, { ...before, request: reduceRequest(before.request, recorded) });
  return [...questions].every(
    ([node, question]) =>
      Object.hasOwn(before.external ?? {}, node) && own.get(node) === other.get(node) && known.get(node) === question,
  );
}

function questionsOf(plan: Plan, input: DecisionInput): ReadonlyMap<string, string> {
  const questions = new Map<string, string>();
  const ask = (node: string, candidates: readonly unknown[], question?: unknown): void => {
    questions.set(node, JSON.stringify([candidates, question ?? null]));
  };
  const { external: _external, ...rest } = input;
  decide(plan, rest, { ask });
  return questions;
}

/** Decides, and measures the time in microseconds. */
export function timedDecision(plan: Plan, input: DecisionInput): { readonly decision: Decision; readonly us: number } {
  const startedAt = performance.now();
  const decision = decide(plan, input, { trace: false });
  return { decision, us: (performance.now() - startedAt) * 1_000 };
}
