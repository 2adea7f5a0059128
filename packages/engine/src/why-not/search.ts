import { round6 } from '../arithmetic/decimal.ts';
import { compareText } from '../arithmetic/order.ts';
import { canonicalJson } from '../canonical/canonical-json.ts';
import { decide } from '../decide.ts';
import type { Decision } from '../plan/decision.ts';
import type { DecisionInput } from '../plan/input.ts';
import type { Plan } from '../plan/plan.ts';
import type { ExaminedOffer, GateRow, Probe, Wish } from '../plan/probe.ts';
import { type ColumnPlace, editableColumns, withEdits } from './alter-input.ts';
import { anything, type Edit, type Holds, valuesFor } from './edits.ts';
import { createExamination } from './examination.ts';
import type { Attempt, Flip } from './flip.ts';
import { momentsOf, type Timeline } from './moments.ts';
import { priorityFlip, scoreFlip } from './rank-flips.ts';
import { timeFlip } from './time-flip.ts';

/** Maximum flips of an answer, and decisions made for one. */
const maxFlips = 10;
const maxExecutions = 2_000;
/** Maximum decisions spent on instants, so that some remain for other changes. */
const maxPerTime = 1_000;
const maxEdits = 3;

/** The question. */
export interface WhyNotQuestion {
  readonly offerId: string;
  readonly input: DecisionInput;
  /** True: nothing is left to chance. False: the seed of the input decides, as it did for a record. */
  readonly greedy: boolean;
  /** Returns what can be written to a schema's column; null: suggest nothing for it. */
  columnHolds(place: ColumnPlace): Holds | null;
  /** Names of attributes of the request for which nothing may be suggested. */
  readonly hiddenAttributes: ReadonlySet<string>;
  /** Returns the same question at another instant, all else equal; null: unknown. */
  readonly later: { readonly timeline: Timeline; inputAt(now: number): DecisionInput } | null;
  /** Called before each decision: false ends the search with the results so far. */
  shouldContinue(): boolean;
}

export interface WhyNotAnswer {
  readonly verdict: 'eligible' | 'blocked';
  readonly selected: boolean;
  /** Place in the answer, or by score among those that reached ranking; null when blocked. */
  readonly rank: number | null;
  readonly score: number | null;
  /** Score of the last item; null while the answer has room. */
  readonly cutoffScore: number | null;
  readonly gates: readonly GateRow[];
  readonly flips: readonly Flip[];
  readonly search: { readonly executions: number; readonly limit: number; readonly truncated: boolean };
}

class SearchOver extends Error {}

/**
 * Explains why an offer isn't in the answer, and finds the smallest changes that put it there
 * (docs/design/api-decisioning.md 12, docs/design/api-settled.md 87 to 93, 109, 116). Pure: tries each change by
 * deciding again, whatever the gates are. Gates that can name satisfying values do (`wishes`); a new kind of gate needs
 * nothing here.
 */
export function whyNot(plan: Plan, question: WhyNotQuestion): WhyNotAnswer {
  const { offerId, input, greedy } = question;
  const probe: Probe = { offerId, greedy, priority: null, score: null, examination: null };
  const base = decide(plan, input, { trace: true, probe });
  const examination = createExamination();
  decide(plan, input, { trace: true, probe: { ...probe, examination } });
  const item = base.items.find((each) => each.offerId === offerId) ?? null;
  // The last drop, and none for a shown offer: a called flow may have taken an offer that the caller refused.
  const drop = item === null ? (base.trace?.dropped.at(-1) ?? null) : null;
  const wasRanked = item !== null || (drop !== null && endStages.has(drop.stage));
  const examined = examination.result(!wasRanked);
  const gates = [...examined.gates, ...otherGates(plan, base, examined, drop, wasRanked)];
  const scored = base.trace?.scoringResults[0];
  const scoredRow = isRow(scored) ? scored : null;
  let executions = 0;
  let truncated = false;
  const attemptOf = (most: number): Attempt => ({
    run(tried, change) {
      if (executions >= most || !question.shouldContinue()) {
        truncated = true;
        return null;
      }
      executions += 1;
      if (!wasRanked && isRefusedAlone(plan, tried, probe)) return { rank: null };
      const decision = decide(plan, tried, { probe: { ...probe, ...change } });
      return { rank: decision.items.find((each) => each.offerId === offerId)?.rank ?? null };
    },
  });
  const attempts = { all: attemptOf(maxExecutions), ofTime: attemptOf(maxPerTime) };
  const flips = item !== null || examined.isFinal ? [] : search(plan, question, base, examined, wasRanked, attempts);
  const { cut } = plan.limits;
  const room = input.request.placements === null ? Math.min(cut, limitOf(plan, input)) : cut;
  return {
    verdict: wasRanked ? 'eligible' : 'blocked',
    selected: item !== null,
    rank: item?.rank ?? (wasRanked ? numberOr(scoredRow?.rank) : null),
    score: item !== null ? round6(item.score) : numberOr(scoredRow?.score),
    cutoffScore: base.items.length < room ? null : round6(base.items.at(-1)?.score ?? 0),
    gates,
    flips,
    search: { executions, limit: maxExecutions, truncated },
  };
}

function search(
  plan: Plan,
  question: WhyNotQuestion,
  base: Decision,
  examined: ExaminedOffer,
  wasRanked: boolean,
  { all, ofTime }: { readonly all: Attempt; readonly ofTime: Attempt },
): readonly Flip[] {
  const { offerId, input, later } = question;
  const rest: Flip[] = [];
  const gateIds = new Set(examined.gates.flatMap(({ id, nodeId }) => [id, nodeId]));
  const isMandatory = plan.names.offer(offerId)?.mandatory ?? false;
  const blocked = !wasRanked || base.trace?.dropped.at(-1)?.stage === 'admission';
  if (blocked && examined.opensByTime && later !== null) {
    const moments = momentsOf(plan, offerId, gateIds, input, later.timeline);
    const flip = timeFlip(moments, input.now, later.inputAt, ofTime);
    if (flip !== null) rest.push(flip);
  }
  if (wasRanked && !isMandatory) {
    const isRead = readsPriority(plan, gateIds);
    const priority = priorityFlip(input, plan.names.offer(offerId)?.priority ?? 0, isRead, all);
    const own = numberOr(firstRow(base)?.score) ?? 0;
    const score = scoreFlip(input, own, base, all);
    for (const flip of [priority, score]) if (flip !== null) rest.push(flip);
  }
  return [...editFlips(plan, question, examined.wishes, maxFlips - rest.length, all), ...rest];
}

/** True when a gate or node that the offer meets names the priority, as a word of its own. */
function readsPriority({ program, flow }: Plan, gateIds: ReadonlySet<string | null>): boolean {
  const configs = program.gateConfigs.filter(({ id }) => gateIds.has(id));
  return /\bpriority\b/.test(JSON.stringify([configs.map(({ config }) => config), flow.config]));
}

/** Sets of one, two and three edits, in order of size, path and value; none that has a smaller one in it. */
function editFlips(
  plan: Plan,
  question: WhyNotQuestion,
  wishes: readonly Wish[],
  most: number,
  attempt: Attempt,
): readonly Flip[] {
  const { input } = question;
  const places = editableColumns(plan, input);
  const edits = proposals(plan, question, places, wishes);
  const flips: { readonly flip: Flip; readonly members: readonly number[] }[] = [];
  const tryOut = (members: readonly number[]): void => {
    if (flips.some((found) => found.members.every((member) => members.includes(member)))) return;
    const changes = members.map((member) => edits[member]!);
    const paths = changes.map(({ path }) => path).filter((path) => path !== 'segments');
    if (new Set(paths).size < paths.length) return;
    const result = attempt.run(withEdits(plan, places, input, changes));
    if (result === null) throw new SearchOver();
    if (result.rank === null) return;
    const again = attempt.run(withEdits(plan, places, input, changes));
    if (again === null) throw new SearchOver();
    if (again.rank !== result.rank) return;
    flips.push({ flip: { kind: 'attribute', changes, at: null, resultRank: again.rank }, members });
  };
  try {
    for (let size = 1; size <= maxEdits; size++) {
      for (const members of combinations(edits.length, size)) {
        if (flips.length >= most) return flips.map(({ flip }) => flip);
        tryOut(members);
      }
    }
  } catch (error) {
    if (!(error instanceof SearchOver)) throw error;
  }
  return flips.map(({ flip }) => flip);
}

/** The edits that gates wish for and that may be suggested, in order of path and value. */
function proposals(
  plan: Plan,
  { input, hiddenAttributes, columnHolds }: WhyNotQuestion,
  places: ReadonlyMap<string, ColumnPlace>,
  wishes: readonly Wish[],
): readonly Edit[] {
  const lookedUp = new Set(plan.enrichSources.map(({ lookupFrom }) => lookupFrom));
  const today = input.zones[plan.timezone]?.date ?? '';
  const holdsAt = ([namespace, name = '']: readonly string[]): Holds | null => {
    if (namespace === 'segments') return anything;
    if (namespace === 'attributes')
      return hiddenAttributes.has(name) || lookedUp.has(`attributes.${name}`) ? null : anything;
    const place = places.get(name);
    return place === undefined ? null : columnHolds(place);
  };
  const found = new Map<string, { readonly edit: Edit; readonly value: string }>();
  for (const wish of wishes) {
    const holds = holdsAt(wish.path);
    if (holds === null) continue;
    const path = wish.path.join('.');
    for (const to of valuesFor(wish, holds, input.now, today)) {
      const value = canonicalJson(to);
      if (value === canonicalJson(wish.actual)) continue;
      const any = wish.operator === 'exists' ? { any: true as const } : {};
      if (!found.has(`${path} ${value}`))
        found.set(`${path} ${value}`, { edit: { path, from: wish.actual, to, ...any }, value });
    }
  }
  return [...found.values()]
    .sort((a, b) => compareText(a.edit.path, b.edit.path) || compareText(a.value, b.value))
    .map(({ edit }) => edit);
}

/** The sets of `size` of the numbers below `count`, each ascending, in order. */
function* combinations(count: number, size: number, from = 0): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let first = from; first <= count - size; first++) {
    for (const rest of combinations(count, size - 1, first + 1)) yield [first, ...rest];
  }
}

/**
 * Returns true when the gates refuse the offer even as the only candidate, which takes a fraction of a whole decision's
 * time. From the score on, candidates are compared, so what leaves there may stay next to others.
 */
function isRefusedAlone(plan: Plan, input: DecisionInput, probe: Probe): boolean {
  const { items, emptyReason } = decide(plan, input, { probe: { ...probe, alone: true } });
  return items.length === 0 && emptyReason !== null && !comparing.has(emptyReason);
}

const comparing: ReadonlySet<string> = new Set([
  'score',
  'optimize',
  'rank',
  'group',
  'admission',
  'coupling',
  'quota',
]);

/** Stages behind the gates: an offer that leaves there was ranked. */
const endStages: ReadonlySet<string> = new Set(['admission', 'rank', 'coupling', 'quota']);

type Dropped = NonNullable<Decision['trace']>['dropped'][number];

/**
 * Returns what refused the offer outside the stages: the request's target, the flow's inventory, a limit of the answer.
 */
function otherGates(
  plan: Plan,
  base: Decision,
  { isCandidate }: ExaminedOffer,
  drop: Dropped | null,
  wasRanked: boolean,
): readonly GateRow[] {
  const gate = { nodeId: null, id: null, ruleType: null, detail: null, status: 'blocked' } as const;
  if (wasRanked) {
    if (drop === null || drop.stage === 'rank') return [];
    const { stage, nodeId, reason, policyId, ruleId, detail } = drop;
    const policy = plan.program.policies.find(({ id }) => id === policyId);
    return [
      {
        ...gate,
        stage,
        nodeId,
        id: policyId ?? ruleId,
        name: policy?.name ?? reason,
        ruleType: policy?.ruleType ?? null,
        reason: reasonIn(detail) ?? reason,
        detail,
      },
    ];
  }
  if (isCandidate) return [];
  const [first] = base.trace?.pipeline ?? [];
  if (first === undefined) {
    const reason = base.emptyReason;
    return [{ ...gate, stage: 'request', name: reason, reason }];
  }
  return [
    { ...gate, stage: 'inventory', name: 'not_in_inventory', reason: 'the offer is not a candidate in this flow' },
  ];
}

/** The text of what refused it, where the detail of its row holds one. */
function reasonIn(detail: unknown): string | null {
  const reason = isRow(detail) ? detail.reason : null;
  return typeof reason === 'string' ? reason : null;
}

function firstRow(base: Decision) {
  const row = base.trace?.scoringResults[0];
  return isRow(row) ? row : null;
}

function isRow(value: unknown): value is { readonly [key: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function limitOf(plan: Plan, { request }: DecisionInput): number {
  return Math.min(50, request.limit ?? plan.limits.defaultLimit);
}
