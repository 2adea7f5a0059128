import { type DecisionTestResult, decisionTestRunOperations } from '@arbiter/contract/judging/decision-test-runs';
import { useCallback, useEffect, useState } from 'react';
import { call } from '../../data/call.ts';
import { type Failure, failureOf } from '../../data/failure.ts';
import { waitBefore } from '../../data/pace.ts';

/** Tests to run: those of a flow, or some of them. */
export interface RunTarget {
  readonly flowId: string;
  readonly testIds?: readonly string[];
}

/** The version that tests run with. */
export const testedVersions = ['draft', 'published'] as const;
export type TestedVersion = (typeof testedVersions)[number];

export interface TestRuns {
  /** Results by the ID of the test; until the next run, those of the last one in this page. */
  readonly results: ReadonlyMap<string, DecisionTestResult>;
  /** When the oldest of the results was computed, in milliseconds; null without results. */
  readonly asOf: number | null;
  /** Flows whose tests couldn't run. */
  readonly failures: ReadonlyMap<string, Failure>;
  readonly isRunning: boolean;
  readonly run: () => void;
}

interface State extends Pick<TestRuns, 'results' | 'asOf' | 'failures' | 'isRunning'> {}

const blank: State = { results: new Map(), asOf: null, failures: new Map(), isRunning: false };

/** The last results of each version, until the page reloads: opening a test and going back doesn't lose them. */
const last = new Map<TestedVersion, State>();

export interface RunOptions {
  /** Runs when the page opens and when targets or version change. Otherwise only `run` does. */
  readonly runsAtOnce: boolean;
}

/** Runs tests, flow by flow. Pass the same targets as long as nothing changes. */
export function useTestRuns(
  targets: readonly RunTarget[],
  version: TestedVersion,
  { runsAtOnce }: RunOptions,
): TestRuns {
  const [state, setState] = useState<State>(() => (runsAtOnce ? { ...blank, isRunning: true } : blank));
  const runAll = useCallback(
    async (signal: AbortSignal) => {
      let now: State = { ...blank, asOf: Date.now(), isRunning: true };
      const show = (next: State) => {
        now = next;
        setState(next);
      };
      show(now);
      for (const target of targets) {
        const next = await runOne(target, version, signal);
        if (signal.aborted) return;
        show({ ...now, ...next(now) });
      }
      show({ ...now, isRunning: false });
      // The run of one test doesn't replace those of all.
      if (targets.every(({ testIds }) => testIds === undefined)) last.set(version, now);
    },
    [targets, version],
  );
  useEffect(() => {
    if (!runsAtOnce) {
      setState(last.get(version) ?? blank);
      return undefined;
    }
    const stop = new AbortController();
    void runAll(stop.signal);
    return () => stop.abort();
  }, [runAll, runsAtOnce, version]);
  return { ...state, run: () => void runAll(new AbortController().signal) };
}

/** Runs the tests of a flow. Returns the change of the state. */
async function runOne(
  { flowId, testIds }: RunTarget,
  version: TestedVersion,
  signal: AbortSignal,
): Promise<(before: State) => Partial<State>> {
  const operation = decisionTestRunOperations.run;
  await new Promise((done) => setTimeout(done, waitBefore(operation)));
  const body = { flowId, version, ...(testIds === undefined ? {} : { testIds: [...testIds] }) };
  try {
    const { results } = await call(operation, { body, signal });
    return (before) => ({ results: new Map([...before.results, ...results.map((one) => [one.testId, one] as const)]) });
  } catch (error) {
    return (before) => ({ failures: new Map(before.failures).set(flowId, failureOf(error)) });
  }
}
