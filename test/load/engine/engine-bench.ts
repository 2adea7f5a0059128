// What one decision costs in the engine alone: `node test/load/engine/engine-bench.ts`. Bar: 60 microseconds for 200 candidates,
// formula score, 20 policies and 10 rules; 10,000 offers cost at most about 40 times as much (docs/design/decisioning.md 6).
// Memory is what the decision takes from the heap, the answer included; it does not depend on the machine's load.
import { compile, type DecisionInput, decide, type Plan } from '@arbiter/engine';
import { allocatedBytes } from '../bench/allocated-bytes.ts';
import { type Exponents, input, snapshot } from './engine-case.ts';

function measure(label: string, offerCount: number, contactLanes: number, formula: Exponents): number {
  const plan: Plan = compile(snapshot(offerCount, formula));
  const decision: DecisionInput = input(plan, contactLanes);
  const rounds = Math.max(200, Math.ceil(2_000_000 / offerCount));
  let items = 0;
  for (let at = 0; at < rounds; at++) items += decide(plan, decision).items.length;
  // Processor time, and the best of several samples, so that neighbours on the machine disturb little.
  let best = Number.POSITIVE_INFINITY;
  const perSample = Math.ceil(rounds / 8);
  for (let sample = 0; sample < 12; sample++) {
    const start = process.cpuUsage();
    for (let at = 0; at < perSample; at++) items += decide(plan, decision).items.length;
    best = Math.min(best, process.cpuUsage(start).user / perSample);
  }
  const kilobytes = allocatedBytes(() => decide(plan, decision)) / 1024;
  const figures = `${best.toFixed(1).padStart(8)} us ${kilobytes.toFixed(1).padStart(8)} KB`;
  console.log(`${label.padEnd(54)} ${figures}  (${items > 0 ? 'items' : 'empty'})`);
  return best;
}

const ones = { propensityWeight: 1, relevanceWeight: 1, impactWeight: 1, emphasisWeight: 1 };
const fractions = { propensityWeight: 0.4, relevanceWeight: 0.2, impactWeight: 0.3, emphasisWeight: 0.1 };
measure('200 offers, exponents 1, no contacts', 200, 0, ones);
const small = measure('200 offers, exponents 1, 30 contact lanes', 200, 30, ones);
measure('200 offers, fractional exponents, 30 contact lanes', 200, 30, fractions);
measure('200 offers, exponents 1, 5,000 contact lanes', 200, 5000, ones);
const large = measure('10,000 offers, exponents 1, 30 contact lanes', 10_000, 30, ones);
console.log(`10,000 against 200 offers: ${(large / small).toFixed(1)} times`);
