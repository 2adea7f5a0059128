// What a why-not takes: refused offers of worlds with 200 offers, by number of proposals. Run by hand:
//   node_modules/.bin/node test/load/engine/why-not.ts [offers] [questions]
import { cpus } from 'node:os';
import { compile, decide, whyNot } from '@arbiter/engine';
import { createExamination } from '../../../packages/engine/src/why-not/examination.ts';
import {
  chanceOf,
  inputAt,
  randomWorld,
  utcClock,
  worldColumns,
} from '../../../packages/engine/src/why-not/test-world.ts';

const offerCount = Number(process.argv[2] ?? 200);
const questions = Number(process.argv[3] ?? 400);
/** The bar of docs/design/api-settled.md 16 holds for this many proposals. */
const fewWishes = 8;

/** Processor time: on a busy machine, wall time only says how busy it is. */
const all: number[] = [];
const walls: number[] = [];
const few: number[] = [];
let flips = 0;
let executions = 0;
for (let seed = 1; all.length < questions; seed++) {
  const chance = chanceOf(seed);
  const world = randomWorld(chance, offerCount);
  const plan = compile(world.snapshot);
  const input = inputAt(world, plan, world.now);
  const shown = new Set(decide(plan, input).items.map(({ offerId }) => offerId));
  const refused = world.snapshot.offers.filter(({ id }) => !shown.has(id));
  // A process that has just compiled a plan is slow. Measure one in steady state.
  for (let at = 0; at < 50; at++) decide(plan, input);
  for (let at = 0; at < 20 && all.length < questions; at++) {
    const { id } = chance.pick(refused);
    const wishesFor = (offerId: string): number => {
      const examination = createExamination();
      const probe = { offerId, greedy: true, priority: null, score: null, examination };
      const { trace } = decide(plan, input, { trace: true, probe });
      const isBlocked = trace?.dropped.length === 0 || trace?.dropped[0]?.stage !== 'rank';
      return examination.result(isBlocked).wishes.length;
    };
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const answer = whyNot(plan, {
      offerId: id,
      input,
      greedy: true,
      columnHolds: ({ column }) => {
        const kind = worldColumns[column as keyof typeof worldColumns];
        return kind === undefined ? null : { kind };
      },
      hiddenAttributes: new Set(),
      later: {
        timeline: {
          since: [...world.contacts.log.map((entry) => entry.at), ...world.contacts.lastAt],
          ends: world.suppressions.map(({ expiresAt }) => expiresAt),
          clock: utcClock,
        },
        inputAt: (now) => inputAt(world, plan, now),
      },
      shouldContinue: () => true,
    });
    const wall = performance.now() - startedAt;
    const spent = process.cpuUsage(before);
    const took = (spent.user + spent.system) / 1000;
    walls.push(wall);
    all.push(took);
    if (wishesFor(id) <= fewWishes) few.push(took);
    executions += answer.search.executions;
    flips += answer.flips.length;
  }
}

const quantile = (values: readonly number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN).toFixed(1);
const line = (name: string, values: readonly number[]): string =>
  `${name}: ${values.length} questions, median ${quantile(values, 0.5)} ms, p90 ${quantile(values, 0.9)} ms, slowest ${quantile(values, 0.9999)} ms`;
console.log(
  `${offerCount} offers, ${cpus()[0]?.model ?? 'unknown processor'}, ${flips} flips, ${executions} decisions`,
);
console.log(line('all, processor', all));
console.log(line('all, wall clock', walls));
console.log(line('at most 8 proposals, processor', few));
