import { compile } from '@arbiter/engine';
import type { CheckInput } from '../check/subject.ts';
import type { PreparedTest, TestBench } from '../decision-tests/run-test.ts';
import type { MutantKind } from './config-changes.ts';
import { type Equivalence, equivalences } from './equivalents.ts';
import { type Mutant, type MutantPlace, mutantsOf } from './mutants.ts';

export interface MutantResult {
  readonly kind: MutantKind;
  readonly place: MutantPlace;
  readonly text: string;
  /** `equivalent`: it was proved that no decision changes. */
  readonly outcome: 'caught' | 'survived' | 'equivalent';
  /** Test that caught it; null: none. */
  readonly caughtBy: string | null;
  readonly equivalence: Equivalence | null;
}

/**
 * Changes each boundary, gate and weight once, and tells which changes no test notices. `tests`: those of the flow, all
 * passing. One result at a time, so that the caller can do something else in between.
 */
export function* mutate(input: CheckInput, bench: TestBench, tests: readonly PreparedTest[]): Generator<MutantResult> {
  const equivalenceOf = equivalences(input);
  let order = [...tests];
  for (const mutant of mutantsOf(input.snapshot)) {
    const catcher = catcherOf(mutant, bench, order);
    const { kind, place, text } = mutant;
    if (catcher !== null) {
      // What caught one change often catches the next.
      order = [catcher, ...order.filter((test) => test !== catcher)];
      yield { kind, place, text, outcome: 'caught', caughtBy: catcher.name, equivalence: null };
      continue;
    }
    const equivalence = equivalenceOf(mutant);
    const outcome = equivalence === null ? 'survived' : 'equivalent';
    yield { kind, place, text, outcome, caughtBy: null, equivalence };
  }
}

function catcherOf({ snapshot }: Mutant, bench: TestBench, tests: readonly PreparedTest[]): PreparedTest | null {
  const plan = compile(snapshot);
  return tests.find((test) => bench.run(test, plan).status !== 'passed') ?? null;
}

/** Share of the changes that could be caught and were, 0 to 1; null without such changes. */
export function mutationScore(results: readonly Pick<MutantResult, 'outcome'>[]): number | null {
  const caught = results.filter(({ outcome }) => outcome === 'caught').length;
  const survived = results.filter(({ outcome }) => outcome === 'survived').length;
  return caught + survived === 0 ? null : caught / (caught + survived);
}
