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
  /** Results by the ID of the test. */
  readonly results: ReadonlyMap<string, DecisionTestResult>;
  /** Flows whose tests couldn't run. */
  readonly failures: ReadonlyMap<string, Failure>;
  readonly isRunning: boolean;
  readonly run: () => void;
}

interface State extends Omit<TestRuns, 'run'> {}

const start: State = { results: new Map(), failures: new Map(), isRunning: true };

/** Runs tests, flow by flow, when the targets or the version change. Pass the same targets as long as nothing changes. */
export function useTestRuns(targets: readonly RunTarget[], version: TestedVersion): TestRuns {
  const [state, setState] = useState(start);
  const runAll = useCallback(
    async (signal: AbortSignal) => {
      setState(start);
      for (const target of targets) {
        const next = await runOne(target, version, signal);
        if (signal.aborted) return;
        setState((before) => ({ ...before, ...next(before) }));
      }
      setState((before) => ({ ...before, isRunning: false }));
    },
    [targets, version],
  );
  useEffect(() => {
    const stop = new AbortController();
    void runAll(stop.signal);
    return () => stop.abort();
  }, [runAll]);
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
