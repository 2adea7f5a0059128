import { DecisionTestCreate, type ErrorEntry, type PolicyFile } from '@arbiter/contract';
import { compile, parseInstant } from '@arbiter/engine';
import { type MutantResult, mutate, mutationScore, type OtherRecords, openBench, type TestResult } from '@arbiter/lab';
import type { FolderObject } from '../../gitops/index.ts';
import { testClocks } from '../decision-tests.service.ts';
import { bodiesOf, type FolderBody } from './folder-bodies.ts';
import { folderSnapshot } from './folder-catalogue.ts';
import type { FlowToCheck } from './folder-flows.ts';
import { type OpenFolder, openFolder } from './open-folder.ts';

export interface FolderTestResult extends TestResult {
  readonly file: string;
}

export interface TestedFlow {
  readonly flow: string;
  readonly file: string;
  readonly version: 'draft' | 'published';
  readonly results: readonly FolderTestResult[];
}

/** A change to a file, and whether a test noticed it. */
export interface FolderMutant extends Pick<MutantResult, 'kind' | 'text' | 'outcome' | 'caughtBy' | 'equivalence'> {
  readonly name: string;
  readonly file: string;
  /** JSON Pointer into the file; empty for the whole. */
  readonly pointer: string;
}

export interface FolderMutation {
  readonly mutants: readonly FolderMutant[];
  /** Share of the changes that could be caught and were, 0 to 1; null: there are none. */
  readonly score: number | null;
  /** Keys of the flows whose catalogue wasn't changed, because they have no tests or a test of theirs doesn't pass. */
  readonly leftOut: readonly string[];
}

/** What `arbiter test` found. With errors, nothing was tested. */
export interface FolderTest {
  /** Why files can't be applied; `path`: `<file>#<pointer>`. */
  readonly errors: readonly ErrorEntry[];
  readonly flows: readonly TestedFlow[];
  /** Tests whose flow can't run, and why. They count as failed: otherwise, pausing a flow would hide what breaks. */
  readonly skipped: readonly { readonly file: string; readonly name: string; readonly reason: string }[];
  /** Null: not asked for. */
  readonly mutation: FolderMutation | null;
}

export interface FolderTestOptions {
  /** Tests drafts that differ from what their flow publishes. */
  readonly usesDrafts: boolean;
  readonly mutates: boolean;
}

/** Runs the tests of a folder of policy as code, without server or database. */
export async function testPolicyFolder(
  files: readonly PolicyFile[],
  { usesDrafts, mutates }: FolderTestOptions,
): Promise<FolderTest> {
  const opened = await openFolder(files);
  if (!('folder' in opened)) return { errors: opened.errors, flows: [], skipped: [], mutation: null };
  const { folder, toCheck } = opened;
  const tests = bodiesOf(folder.objects, 'tests', DecisionTestCreate);
  const tested = versionsToTest(toCheck, usesDrafts);
  const others = otherRecords(folder.objects);
  const runs = tested.map((each) => {
    const own = tests.filter(({ body }) => body.decisionFlowId === each.flow.id);
    return runFlow(opened, each, own, others);
  });
  const running = new Set(tested.map(({ flow }) => flow.id));
  return {
    errors: [],
    flows: runs.flatMap(({ shown }) => (shown.results.length > 0 ? [shown] : [])),
    skipped: tests.flatMap(({ path, body: { name, decisionFlowId } }) =>
      running.has(decisionFlowId)
        ? []
        : [{ file: path, name, reason: `its flow ${idleReason(opened, decisionFlowId)}` }],
    ),
    mutation: mutates ? mutationOf(runs, placesIn(opened, tested)) : null,
  };
}

function idleReason({ folder, skipped }: OpenFolder, flowId: string): string {
  const flow = folder.objects.find(({ id }) => id === flowId);
  return skipped.find(({ file }) => file === flow?.path)!.reason;
}

interface FlowRun {
  readonly shown: TestedFlow;
  /** Yields the result of each change to the flow's catalogue. */
  readonly mutants: () => Iterable<MutantResult>;
}

function runFlow(
  { catalogue, directory }: OpenFolder,
  { flow, path }: FlowToCheck,
  tests: readonly FolderBody<DecisionTestCreate>[],
  others: OtherRecords,
): FlowRun {
  const snapshot = folderSnapshot(catalogue, directory, flow);
  const plan = compile(snapshot);
  const bench = openBench(snapshot, plan, others, testClocks);
  const prepared = tests.map(({ body }) => bench.prepare(body));
  const results = tests.map((test, at) => ({ file: test.path, ...bench.run(prepared[at]!) }));
  const now = Math.max(...tests.map(({ body }) => parseInstant(body.given.now) ?? 0));
  return {
    shown: { flow: flow.key, file: path, version: flow.version === null ? 'draft' : 'published', results },
    mutants: () => mutate({ snapshot, plan, now, clockAt: testClocks.clockAt }, bench, prepared),
  };
}

/** One version of each flow: what is published, or its draft. */
function versionsToTest(toCheck: readonly FlowToCheck[], usesDrafts: boolean): FlowToCheck[] {
  const byFlow = Map.groupBy(toCheck, ({ flow }) => flow.id);
  return [...byFlow.values()].map((versions) => {
    const draft = versions.find(({ flow }) => flow.version === null);
    return (usesDrafts ? draft : undefined) ?? versions.find(({ flow }) => flow.version !== null) ?? versions[0]!;
  });
}

function otherRecords(objects: readonly FolderObject[]): OtherRecords {
  const named = (wanted: string) =>
    objects.flatMap(({ entityType, id, name }) => (entityType === wanted ? [{ id, name }] : []));
  return {
    offers: named('offer'),
    rules: named('qualificationRule'),
    policies: named('contactPolicy'),
    segments: named('segment'),
    channels: named('channel'),
    outcomes: named('outcomeType').map(({ name }) => name),
  };
}

/** Returns a function that says where a change is in the files. */
function placesIn({ folder }: OpenFolder, tested: readonly FlowToCheck[]) {
  const names = new Map(folder.objects.map(({ id, path, name }) => [id, { path, name }]));
  const pointers = new Map(tested.map(({ flow, pointer }) => [flow.id, pointer]));
  return ({ type, id, name, path }: MutantResult['place']): Pick<FolderMutant, 'name' | 'file' | 'pointer'> => {
    const isPart = type === 'flowNode' || type === 'decisionFlow';
    const [recordId = ''] = isPart ? id.split(' ') : [id];
    const record = names.get(recordId);
    return {
      name: isPart ? name : (record?.name ?? name),
      file: record?.path ?? recordId,
      pointer: isPart ? `${pointers.get(recordId) ?? '/published'}${path}` : path,
    };
  };
}

/** Changes the catalogue of each flow whose tests pass. A change is caught when a test of any flow notices it. */
function mutationOf(runs: readonly FlowRun[], placeOf: ReturnType<typeof placesIn>): FolderMutation {
  const passes = ({ shown: { results } }: FlowRun): boolean =>
    results.length > 0 && results.every(({ status }) => status === 'passed');
  const found: FolderMutant[] = [];
  for (const { mutants } of runs.filter(passes)) {
    for (const { place, ...result } of mutants()) found.push({ ...result, ...placeOf(place) });
  }
  const groups = Map.groupBy(found, ({ file, pointer, text }) => JSON.stringify([file, pointer, text]));
  const order = ['caught', 'survived', 'equivalent'];
  const joined = [...groups.values()].map(
    (group) => group.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))[0]!,
  );
  const leftOut = runs.filter((run) => !passes(run)).map(({ shown }) => shown.flow);
  return { mutants: joined, score: mutationScore(joined), leftOut };
}
