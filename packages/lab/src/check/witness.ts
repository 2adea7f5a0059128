import { type DecisionInput, decide, foldContacts, type Json, type Plan } from '@arbiter/engine';
import { type Leaf, testOf } from './formula.ts';
import type { Branch, Solver } from './solver.ts';
import type { CheckInput, Gate } from './subject.ts';
import { findOpen } from './times.ts';

/** A customer and a request for whom an offer is returned. */
export interface Witness {
  /** Epoch ms. */
  readonly at: number;
  readonly profile: Readonly<Record<string, Json>>;
  readonly attributes: Readonly<Record<string, Json>>;
  readonly context: Readonly<Record<string, Json>>;
  readonly segments: readonly string[];
  readonly channelId: string | null;
}

type Values = Pick<Witness, 'profile' | 'attributes' | 'context' | 'segments'>;

/** Returns values that satisfy a branch's comparisons; null when none were found. */
function valuesFor(branch: Branch, solver: Solver, now: number): Values | null {
  const profile: Record<string, Json> = {};
  const attributes: Record<string, Json> = {};
  const context: Record<string, Json> = {};
  const segments: string[] = [];
  const byVariable = Map.groupBy(branch.literals, ({ leaf }) => leaf.variable);
  for (const [variable, literals] of byVariable) {
    const { leaf } = literals[0]!;
    if (leaf.facet === 'member') {
      if (literals[0]!.holds) segments.push(variable.slice('segment '.length));
      continue;
    }
    const value = valueFor(literals, solver.valuesOf(variable), now);
    if (value === undefined) return null;
    if (value !== null && !put({ profile, attributes, context }, leaf.path, value)) return null;
  }
  return { profile, attributes, context, segments };
}

function valueFor(literals: Branch['literals'], values: readonly Json[], now: number): Json | undefined {
  const tests = literals.map(({ leaf, holds }) => ({ holds, test: testOfLeaf(leaf, now) }));
  const built = composed(literals);
  return [...values, ...built].find((value) => tests.every(({ test, holds }) => test(value) === holds));
}

/** Texts and lists made of the parts that comparisons ask for. */
function composed(literals: Branch['literals']): Json[] {
  const wanted = literals.flatMap(({ leaf: { comparison }, holds }) =>
    holds && comparison !== null ? [comparison] : [],
  );
  const starts = wanted.flatMap(({ operator, value }) => (operator === 'starts_with' ? [`${value}`] : []));
  const inside = wanted.flatMap(({ operator, value }) =>
    operator === 'contains' && !Array.isArray(value) && value !== undefined ? [value as string | number] : [],
  );
  const longest = starts.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return [longest, `${longest}${inside.join('')}`, `${longest}x`, [...inside]];
}

function testOfLeaf({ comparison, days, path }: Leaf, now: number): (value: Json) => boolean {
  if (comparison !== null) return testOf(comparison, now);
  if (days === null) throw new Error(`${path.join('.')} compares nothing`);
  return (value) => {
    if (typeof value !== 'string') return false;
    const whole = testOf({ operator: 'within_last_days', value: Math.min(36_500, days.maximum + 1) }, now);
    const early = testOf({ operator: 'within_last_days', value: Math.max(0, days.minimum) }, now);
    return whole(value) && (days.minimum === 0 || !early(value));
  };
}

function put(
  { profile, attributes, context }: Record<'profile' | 'attributes' | 'context', Record<string, Json>>,
  path: readonly string[],
  value: Json,
): boolean {
  const [root, first, second, ...deeper] = path;
  if (first === undefined) return false;
  if (root === 'customer' && second === undefined) profile[first] = value;
  else if (root === 'attributes' && second === undefined) attributes[first] = value;
  else if (root === 'request' && first === 'context' && second !== undefined && deeper.length === 0)
    context[second] = value;
  else return false;
  return true;
}

const seed = '0'.repeat(32);
/** A customer may be in the control group, but not all of this many. */
const customersTried = 20;

/** The clocks that a decision of the plan reads at an instant. */
export const zonesAt = (
  { snapshot, clockAt }: Pick<CheckInput, 'snapshot' | 'clockAt'>,
  plan: Plan,
  at: number,
): DecisionInput['zones'] =>
  Object.fromEntries([...plan.zones, snapshot.tenant.timezone].map((zone) => [zone, clockAt(zone, at)]));

/** Returns what a decision reads of a customer without history. */
export function inputFor(
  { snapshot, clockAt, soldOut }: CheckInput,
  plan: Plan,
  { at, profile, attributes, context, segments, channelId }: Witness,
  request: { readonly customerId: string; readonly excludeOffers: readonly string[] },
  zones: DecisionInput['zones'] = zonesAt({ snapshot, clockAt }, plan, at),
): DecisionInput {
  const none = { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [] };
  const enriched = Object.groupBy(plan.enrichSources, ({ nodeId }) => nodeId);
  return {
    now: at,
    seed,
    zones,
    request: {
      requestId: '00000000-0000-7000-8000-000000000001',
      customerId: request.customerId,
      channel: null,
      channelId,
      placement: null,
      placements: null,
      deduplicate: false,
      limit: 50,
      context,
      segments,
      attributes,
      locale: null,
      currency: null,
      excludeOffers: request.excludeOffers,
      excludeCreatives: [],
      dryRun: false,
    },
    known: true,
    profile,
    enriched: Object.fromEntries(
      Object.entries(enriched).map(([node, sources]) => [node, (sources ?? []).map(() => ({}))]),
    ),
    segments,
    contacts: foldContacts(none, plan.windows, at, zones[plan.timezone]!, {
      longestCooldownMs: plan.longestCooldownMs,
    }),
    ...(plan.outcomeReads === null ? {} : { outcomes: [] }),
    suppressions: [],
    soldOut,
    ...(plan.volumes === null ? {} : { volumes: plan.volumes.counted.map(nothingCounted) }),
    evidence: { number: 0, offer: () => [0, 0], category: () => [0, 0], global: [0, 0] },
    objectiveCounts: { number: 0, offer: () => noCounts, impressions7: 0 },
  };
}

const noCounts = { impressions: 0, positives: 0, converts: 0, impressions7: 0 };
const nothingCounted = ({
  scope,
  scopeId,
}: {
  readonly scope: 'global' | 'offer' | 'creative' | 'channel' | 'category' | 'subcategory';
  readonly scopeId: string | null;
}) => ({
  scope,
  scopeId,
  impressions: 0,
  spentCents: 0,
  dayImpressions: 0,
  daySpentCents: 0,
});

/** Returns a witness that `decide` has confirmed, or null. `others`: ids of the plan's other offers. */
export function findWitness(
  input: CheckInput,
  plan: Plan,
  solver: Solver,
  passage: {
    readonly offerId: string;
    readonly channelId: string | null;
    readonly gates: readonly Gate[];
    readonly branch: Branch;
    readonly others: readonly string[];
  },
): Witness | null {
  const at = findOpen(
    passage.gates.flatMap(({ time }) => time ?? []),
    input.now,
    input.clockAt,
  );
  if (at === null) return null;
  const values = valuesFor(passage.branch, solver, at);
  if (values === null) return null;
  const witness = { ...values, at, channelId: passage.channelId };
  for (let number = 0; number < customersTried; number++) {
    const request = { customerId: `witness-${number}`, excludeOffers: passage.others };
    const { items, controlGroup } = decide(plan, inputFor(input, plan, witness, request));
    if (items.some(({ offerId }) => offerId === passage.offerId)) return witness;
    if (!controlGroup) return null;
  }
  return null;
}
