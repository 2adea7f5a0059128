import type { Evidence, Json, ObjectiveCounts, PackedInput, PackedResult } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { readStateBodies } from '../../../catalogue/models/index.ts';
import type { CustomerKeys } from '../../customer-states/index.ts';
import { type EvidenceTimeline, readTimeline } from '../../evidence/index.ts';
import { countsOf } from '../../objectives/index.ts';
import { type CompiledFlow, openPlan, type ReadSetNames, readNames } from '../../plans/index.ts';
import { openRecords, type StoredRecord, seedOf } from '../../sealed-records/index.ts';

/** A record with everything it refers to. */
export interface WholeRecord {
  readonly record: StoredRecord;
  /** The flow and plan that decided. */
  readonly flow: CompiledFlow;
  readonly packed: PackedInput;
  readonly result: PackedResult;
  readonly seed: string;
  readonly evidence: Evidence;
  readonly modelStates: ReadonlyMap<string, Json>;
  readonly objectiveCounts: ObjectiveCounts | null;
  /** What the decision read of the customer; null if only what its plan names. */
  readonly readSet: ReadSetNames | null;
}

/** A record, or why it can't be judged. */
export type ReadRecord =
  | { readonly record: StoredRecord; readonly whole: WholeRecord; readonly problem: null }
  | {
      readonly record: StoredRecord;
      readonly whole: null;
      readonly problem: 'erased' | 'record_corrupt' | 'plan_missing' | 'state_missing';
    };

export interface RecordReaderPorts {
  readonly database: Database;
  readonly keys: CustomerKeys;
  readonly tenantId: string;
}

/** Reads records with everything they refer to, and caches that. One per thread and study. */
export interface RecordReader {
  /** Opens a plan by its hash. Throws AppError `record_corrupt` when it's missing. */
  plan(hash: Buffer): Promise<CompiledFlow>;
  /** Returns records in the order of the ids. Those that have expired are left out. */
  read(ids: readonly string[]): Promise<readonly ReadRecord[]>;
}

const actor = systemActor('study');
/** Maximum cached model states. Each may take a megabyte. */
const maxStates = 64;
/** Time for reading a batch with its evidence, in ms. */
const batchMs = 60_000;

interface ReaderMemory {
  readonly plans: Map<string, CompiledFlow | null>;
  readonly states: Map<string, Json>;
  readonly counts: Map<number, ObjectiveCounts>;
  readonly readSets: Map<number, ReadSetNames | null>;
  timeline: EvidenceTimeline | null;
}

export function createRecordReader({ database, keys, tenantId }: RecordReaderPorts): RecordReader {
  const memory: ReaderMemory = {
    plans: new Map(),
    states: new Map(),
    counts: new Map(),
    readSets: new Map(),
    timeline: null,
  };
  const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.withTenant(tenantId, actor, work, { statementTimeoutMs: batchMs });
  return {
    async plan(hash) {
      const flow = await inTenant((tx) => planOf(tx, memory, hash));
      if (flow === null) throw new AppError('record_corrupt', { detail: "The study's plan is missing." });
      return flow;
    },
    read: (ids) =>
      inTenant(async (tx) => {
        const opened = await openRecords(tx, keys, ids);
        await readEvidence(tx, memory, opened);
        const found: ReadRecord[] = [];
        for (const one of opened) {
          if (one.problem !== null) found.push({ record: one.record, whole: null, problem: one.problem });
          else found.push(await complete(tx, memory, one.record, one.body));
        }
        return found;
      }),
  };
}

/** Returns null if it's missing or damaged. */
async function planOf(tx: Tx, { plans }: ReaderMemory, hash: Buffer): Promise<CompiledFlow | null> {
  const name = hash.toString('hex');
  const known = plans.get(name);
  if (known !== undefined) return known;
  let flow: CompiledFlow | null = null;
  try {
    flow = await openPlan(tx, hash);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'record_corrupt') throw error;
  }
  plans.set(name, flow);
  return flow;
}

/** Loads the evidence of all these records. */
async function readEvidence(
  tx: Tx,
  memory: ReaderMemory,
  opened: readonly { readonly record: StoredRecord }[],
): Promise<void> {
  if (opened.length === 0) return;
  const numbers = opened.map(({ record }) => Number(record.evidenceNumber));
  const known = memory.timeline;
  const from = Math.min(...numbers, known?.from ?? Number.POSITIVE_INFINITY);
  const to = Math.max(...numbers, known?.to ?? 0);
  if (known !== null && known.from <= from && known.to >= to) return;
  try {
    memory.timeline = await readTimeline(tx, from, to);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // A reset leaves gaps between numbers: each record then gets what there is, or none.
    memory.timeline = null;
  }
}

async function evidenceAt(tx: Tx, { timeline }: ReaderMemory, number: number): Promise<Evidence | null> {
  if (timeline !== null && timeline.from <= number && timeline.to >= number) return timeline.at(number);
  try {
    return (await readTimeline(tx, number, number)).at(number);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return null;
  }
}

async function complete(
  tx: Tx,
  memory: ReaderMemory,
  record: StoredRecord,
  body: { readonly i: PackedInput; readonly r: PackedResult },
): Promise<ReadRecord> {
  const flow = await planOf(tx, memory, record.planHash);
  if (flow === null) return { record, whole: null, problem: 'plan_missing' };
  const { id, version } = flow.plan.flow;
  if (record.flowId !== id || record.flowVersion !== version) return { record, whole: null, problem: 'record_corrupt' };
  const hashes = [...new Set(Object.values(body.i.m ?? {}))];
  const modelStates = await statesOf(tx, memory, hashes);
  const evidence = await evidenceAt(tx, memory, body.i.v);
  if (evidence === null || modelStates.size < hashes.length) return { record, whole: null, problem: 'state_missing' };
  const whole: WholeRecord = {
    ...{ record, flow, evidence, modelStates },
    packed: body.i,
    result: body.r,
    seed: seedOf(tx.tenantId, record.requestId),
    objectiveCounts: record.countsNumber === null ? null : await countsAt(tx, memory, Number(record.countsNumber)),
    readSet: record.readSet === null ? null : await readSetOf(tx, memory, Number(record.readSet)),
  };
  return { record, whole, problem: null };
}

async function statesOf(
  tx: Tx,
  { states }: ReaderMemory,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
  const missing = hashes.filter((hash) => !states.has(hash));
  if (missing.length > 0) {
    for (const [hash, state] of await readStateBodies(tx, missing)) states.set(hash, state);
  }
  const found = new Map(hashes.flatMap((hash) => (states.has(hash) ? [[hash, states.get(hash)!] as const] : [])));
  for (const hash of states.keys()) {
    if (states.size <= maxStates) break;
    if (!found.has(hash)) states.delete(hash);
  }
  return found;
}

async function countsAt(tx: Tx, { counts }: ReaderMemory, number: number): Promise<ObjectiveCounts> {
  const known = counts.get(number) ?? (await countsOf(tx, number));
  counts.set(number, known);
  return known;
}

async function readSetOf(tx: Tx, { readSets }: ReaderMemory, number: number): Promise<ReadSetNames | null> {
  const known = readSets.get(number);
  if (known !== undefined) return known;
  const names = await readNames(tx, number);
  readSets.set(number, names);
  return names;
}
