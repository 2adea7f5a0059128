import { compile, decide, type Json, type PlanOffer, stream } from '@arbiter/engine';
import type { Solver } from './solver.ts';
import type { CheckInput } from './subject.ts';
import { inputFor, type Witness, zonesAt } from './witness.ts';

/** Generated customers that attack every "never". */
const customersGenerated = 10_000;

const dayMs = 86_400_000;
const minuteMs = 60_000;

/**
 * Decides for generated customers, with values on both sides of every boundary, and returns the ids of offers that were
 * returned although the checker says "never". Deterministic: the customers are drawn from a fixed seed.
 */
export function* contradicts(
  input: CheckInput,
  solver: Solver,
  nevers: readonly PlanOffer[],
  customers = customersGenerated,
): Generator<void, ReadonlySet<string>> {
  const found = new Set<string>();
  if (nevers.length === 0) return found;
  const ids = new Set(nevers.map(({ id }) => id));
  const plan = compile({ ...input.snapshot, offers: input.snapshot.offers.filter(({ id }) => ids.has(id)) });
  const next = stream(`check ${nevers.length}`, 'customers');
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const channels = [null, ...plan.program.channels.map(({ id }) => id)];
  const values = new Map([...solver.variables.keys()].map((name) => [name, solver.valuesOf(name)]));
  const instants = Array.from({ length: instantsDrawn }, () => instantAfter(input.now, next));
  const clocks = instants.map((at) => ({ at, zones: zonesAt(input, plan, at) }));
  for (let number = 0; number < customers; number++) {
    yield;
    const { at, zones } = pick(clocks);
    const witness = drawWitness(at, solver, values, pick, next, pick(channels));
    const { items } = decide(
      plan,
      inputFor(input, plan, witness, { customerId: `customer-${number}`, excludeOffers: [] }, zones),
    );
    for (const { offerId } of items) found.add(offerId);
  }
  return found;
}

/** Clocks take long to work out, so customers share instants. */
const instantsDrawn = 200;

/** Within two weeks, or sometimes more than a year. */
function instantAfter(now: number, next: () => number): number {
  const later = next() < 0.1 ? Math.floor(next() * 400) * dayMs : 0;
  return now + Math.floor(next() * 14 * 24 * 60) * minuteMs + later;
}

function drawWitness(
  at: number,
  solver: Solver,
  values: ReadonlyMap<string, readonly Json[]>,
  pick: <T>(from: readonly T[]) => T,
  next: () => number,
  channelId: string | null,
): Witness {
  const profile: Record<string, Json> = {};
  const attributes: Record<string, Json> = {};
  const context: Record<string, Json> = {};
  const segments: string[] = [];
  for (const [name, [leaf]] of solver.variables) {
    if (leaf!.facet === 'member') {
      if (next() < 0.5) segments.push(name.slice('segment '.length));
      continue;
    }
    const [root, first, second] = leaf!.path;
    const choice = values.get(name)!;
    if (choice.length === 0 || first === undefined) continue;
    const value = pick(choice);
    if (value === null) continue;
    if (root === 'customer' && second === undefined) profile[first] = value;
    else if (root === 'attributes') attributes[first] = value;
    else if (root === 'request' && first === 'context' && second !== undefined) context[second] = value;
  }
  return { at, profile, attributes, context, segments, channelId };
}
