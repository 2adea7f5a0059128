import { type Decision, decide, type Plan, type Snapshot } from '@arbiter/engine';
import type { DecisionTest, TestItem, TestNote, TestResult } from './decision-test.ts';
import { differencesIn, dropsIn, type Expected, readExpectations } from './expectations.ts';
import { type Clocks, type GivenInput, inputOf, readGiven } from './given-input.ts';
import { namesOf, type OtherRecords, type TestNames } from './names.ts';
import { testProblems } from './problems.ts';

/** A test whose names are resolved, so that it can run with any version of the plan. */
export type PreparedTest =
  | { readonly name: string; readonly problems: readonly TestNote[] }
  | { readonly name: string; readonly problems: null; readonly given: GivenInput; readonly expected: Expected };

/** Runs tests of one flow. */
export interface TestBench {
  prepare(test: DecisionTest): PreparedTest;
  /** `plan`: that of the bench, or another one of the same catalogue. */
  run(test: PreparedTest, plan?: Plan): TestResult;
}

/** A customer may be in the control group, but not all of this many. */
const customersTried = 20;

/** Opens a catalogue for tests. Nothing in it depends on clocks, customers or chance, so results are always the same. */
export function openBench(snapshot: Snapshot, plan: Plan, others: OtherRecords, clocks: Clocks): TestBench {
  const names = namesOf(snapshot, plan, others);
  const shown = shownNames(snapshot, others);
  const nameOf = (id: string): string => shown.get(id) ?? id;
  return {
    prepare(test) {
      const { name, given, expect } = test;
      const problems: TestNote[] = [...testProblems(given, expect)];
      const tell = (note: TestNote): void => void problems.push(note);
      const input = readGiven({ snapshot, plan, names }, given, tell);
      const expected = readExpectations(names, expect, tell);
      return problems.length > 0 ? { name, problems } : { name, problems: null, given: input, expected };
    },
    run(test, tried = plan) {
      const { name } = test;
      if (test.problems !== null) {
        return { name, status: 'error', differences: test.problems, items: [], emptyReason: null };
      }
      const { input, decision } = decideFor(tried, names, clocks, test.given);
      const differences = differencesIn(test.expected, decision, dropsIn(tried, input), nameOf);
      const { items, emptyReason } = decision;
      return {
        name,
        status: differences.length === 0 ? 'passed' : 'failed',
        differences,
        items: items.map((item) => shownItem(item, nameOf)),
        emptyReason,
      };
    },
  };
}

function decideFor(plan: Plan, names: TestNames, clocks: Clocks, given: GivenInput) {
  for (let number = 0; ; number++) {
    const input = inputOf(plan, names, clocks, given, number);
    const decision = decide(plan, input);
    if (!decision.controlGroup || number === customersTried - 1) return { input, decision };
  }
}

function shownNames(snapshot: Snapshot, others: OtherRecords): ReadonlyMap<string, string> {
  const { offers, creatives, channels, placements, rules, policies, flow, subFlows = [] } = snapshot;
  const nodes = [flow, ...subFlows].flatMap(({ config }) =>
    config.nodes.map(({ id, name }) => ({ id, name: name ?? id })),
  );
  const own = [offers, creatives, channels, placements, rules, policies, nodes];
  const inactive = [others.offers ?? [], others.rules ?? [], others.policies ?? []];
  return new Map([...inactive, ...own, others.channels ?? []].flat().map(({ id, name }) => [id, name]));
}

function shownItem(
  { offerId, creativeId, channelId, placementId, selection }: Decision['items'][number],
  nameOf: (id: string) => string,
): TestItem {
  const named = (id: string | null): string | null => (id === null ? null : nameOf(id));
  return {
    offer: nameOf(offerId),
    creative: named(creativeId),
    channel: named(channelId),
    placement: named(placementId),
    probability: selection.probability,
  };
}
