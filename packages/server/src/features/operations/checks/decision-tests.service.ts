import type { DecisionTestResult, DecisionTestRun, OverlayChange } from '@arbiter/contract';
import { type OtherRecords, openBench, type TestResult } from '@arbiter/lab';
import type { Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isZone, zoneClock } from '../../../platform/time/zones.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { readNames } from '../../catalogue/catalogue-records/index.ts';
import { readTests, type TestToRun } from '../../catalogue/decision-tests/index.ts';
import type { RunnableFlow } from '../../catalogue/flows/index.ts';
import { readFlowSnapshot } from '../../deciding/plans/index.ts';
import { type CheckPorts, flowToCheck, inCatalogue } from './checks.service.ts';

interface RunQuestion {
  readonly flowId?: string | undefined;
  readonly version?: 'published' | 'draft' | number | undefined;
  readonly overlay?: readonly OverlayChange[] | undefined;
  readonly testIds?: readonly string[] | undefined;
}

/** Clocks of tests: those of decisions. */
export const testClocks = { clockAt: zoneClock, isZone };

/**
 * Runs a flow's tests with the catalogue as the overlay would leave it. Throws 404 and 409 for flows that can't run, 400 for
 * a test of another flow, 422 for a draft that can't be published and for an overlay that can't be made, 503 when the time
 * is up.
 */
export async function runDecisionTests(
  ports: CheckPorts,
  facts: RequestFacts,
  { flowId, version = 'published', overlay = [], testIds }: RunQuestion,
): Promise<DecisionTestRun> {
  const startedAt = performance.now();
  const read = async (tx: Tx) => {
    const flow = await flowToCheck(tx, ports, flowId, version);
    const tests = await readTests(tx, flow.id, testIds);
    refuseUnknown(testIds, tests);
    return { flow, tests, ...(await readTestCatalogue(tx, flow)) };
  };
  const { flow, tests, ...catalogue } = await inCatalogue(ports, facts, overlay, read);
  const { results, isDone } = await runUntil(catalogue, tests, facts.until);
  if (!isDone) {
    throw new AppError('overloaded', { detail: 'The tests take too long. Run fewer of them at a time with testIds.' });
  }
  const count = (status: TestResult['status']): number => results.filter((result) => result.status === status).length;
  return {
    flowId: flow.id,
    version: flow.version,
    passed: count('passed'),
    failed: count('failed'),
    errors: count('error'),
    results: results.map(showResult),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

function refuseUnknown(ids: readonly string[] = [], tests: readonly TestToRun[]): void {
  const known = new Set(tests.map(({ id }) => id));
  const errors = ids.flatMap((id, at) =>
    known.has(id.toLowerCase()) ? [] : [{ path: `/testIds/${at}`, message: 'must be a test of this flow' }],
  );
  const [first] = errors;
  if (first !== undefined) throw new AppError('reference_not_found', { detail: `testIds ${first.message}`, errors });
}

type TestCatalogue = Pick<Awaited<ReturnType<typeof readFlowSnapshot>>, 'snapshot' | 'plan'> & {
  readonly others: OtherRecords;
};

async function readTestCatalogue(tx: Tx, flow: RunnableFlow): Promise<TestCatalogue> {
  const { snapshot, plan } = await readFlowSnapshot(tx, flow);
  const others = {
    offers: await readNames(tx, 'offer'),
    rules: await readNames(tx, 'qualificationRule'),
    policies: await readNames(tx, 'contactPolicy'),
    segments: await readNames(tx, 'segment'),
    channels: await readNames(tx, 'channel'),
    outcomes: (await readNames(tx, 'outcomeType')).map(({ name }) => name),
  };
  return { snapshot, plan, others };
}

interface RunResult extends TestResult {
  readonly id: string;
}

/** Runs tests in turns with other work. False in `isDone`: there's no more time (monotonic ms). */
async function runUntil(
  { snapshot, plan, others }: TestCatalogue,
  tests: readonly TestToRun[],
  until: number,
): Promise<{ readonly results: readonly RunResult[]; readonly isDone: boolean }> {
  const bench = openBench(snapshot, plan, others, testClocks);
  const results: RunResult[] = [];
  const turns = takeTurns();
  for (const test of tests) {
    const pause = turns();
    if (pause !== undefined) await pause;
    if (performance.now() > until) return { results, isDone: false };
    results.push({ id: test.id, ...bench.run(bench.prepare(test)) });
  }
  return { results, isDone: true };
}

const showResult = ({ id, name, status, differences, items, emptyReason }: RunResult): DecisionTestResult => ({
  testId: id,
  name,
  status,
  differences: differences.map((difference) => ({ ...difference })),
  items: items.map((item) => ({ ...item })),
  emptyReason,
});

/** Within this many ms, a flow's tests run while its publisher waits. */
const publishTestMs = 2000;

/** Tells which tests a flow doesn't pass, and how many there was no time for. */
export async function failedTestsOfFlow(
  tx: Tx,
  flow: RunnableFlow,
): Promise<{ readonly failed: readonly { readonly name: string; readonly message: string }[]; readonly left: number }> {
  const until = performance.now() + publishTestMs;
  const tests = await readTests(tx, flow.id);
  if (tests.length === 0) return { failed: [], left: 0 };
  const { results } = await runUntil(await readTestCatalogue(tx, flow), tests, until);
  const failed = results.flatMap(({ name, status, differences }) =>
    status === 'passed' ? [] : [{ name, message: differences[0]?.message ?? status }],
  );
  return { failed, left: tests.length - results.length };
}
