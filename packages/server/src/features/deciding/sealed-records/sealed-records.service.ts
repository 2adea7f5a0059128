import { hash } from 'node:crypto';
import type { DecisionRecord, RecordedInputs, RecordedResult, ShownAssignment } from '@arbiter/contract';
import {
  type Decision,
  type DecisionInput,
  decide,
  diffResults,
  itemTexts,
  type Json,
  openScope,
  type PackedInput,
  type PackedResult,
  type RecordedScope,
  readResultText,
  recordedInput,
  resultOf,
  resultText,
  unpackResult,
} from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/json.ts';
import { readStateBodies } from '../../catalogue/models/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type Archive, archiveContext, findArchivedRow, rowJson } from '../archived-months/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { evidenceView, rebuildEvidence } from '../evidence/index.ts';
import { countsOf } from '../objectives/index.ts';
import { type CompiledFlow, openPlan, readNames } from '../plans/index.ts';
import { recordOfJson } from './archive.store.ts';
import { recordContext, seedOf } from './decision-ids.ts';
import { engineStamp } from './engine-stamp.ts';
import { resultHash, shownAssignment } from './packed-result.ts';
import { readableInputs } from './readable-inputs.ts';
import { findRecord, type StoredRecord } from './sealed-records.store.ts';
import { unseal } from './sealing.ts';

/** What opening a record needs from outside. */
export interface RecordPorts {
  readonly keys: CustomerKeys;
  /** Returns the id of the decision with this request id or trace id; null for none. */
  decisionNamed(tx: Tx, id: string): Promise<string | null>;
  /** Reads records of archived months. */
  readonly archive: Archive;
}

export interface OpenRecord {
  readonly record: StoredRecord;
  /** Null when the customer was erased and with it the key. */
  readonly body: { readonly i: PackedInput; readonly r: PackedResult } | null;
}

/** The decision as `GET /decisions/{id}` answers it (docs/design/api-decisioning.md 12). 404, 409 `record_corrupt`. */
export async function readDecision(
  tx: Tx,
  ports: RecordPorts,
  id: string,
  options: { readonly inputs: boolean },
): Promise<DecisionRecord> {
  const { record, body } = await openRecord(tx, ports, id);
  const flow = await planOf(tx, record, body);
  const withheld = [...(body?.i.w ?? []), ...(body?.i.u ?? [])].sort();
  const result = body === null ? null : await readResult(tx, record, body, flow);
  const readSet = options.inputs && record.readSet !== null ? await readNames(tx, Number(record.readSet)) : null;
  if (options.inputs) {
    await recordAudit(tx, {
      action: 'read_decision_inputs',
      entityType: 'decision',
      entityId: record.id,
      entityName: flow.plan.flow.key,
    });
  }
  return {
    requestId: record.requestId,
    recommendationId: record.id,
    traceId: record.traceId,
    customerId: record.customerId,
    source: record.source,
    decidedAt: record.decidedAt.toISOString(),
    engineVersion: record.engineVersion,
    configVersion: Number(record.configVersion),
    planHash: record.planHash.toString('hex'),
    flow: { id: record.flowId, key: flow.plan.flow.key, version: record.flowVersion },
    flows: [{ key: flow.plan.flow.key, version: record.flowVersion }, ...subFlowsOf(body?.r)],
    seed: seedOf(tx.tenantId, record.requestId),
    inputsHash: body === null ? null : hash('sha256', JSON.stringify(body.i), 'hex'),
    resultHash: body === null ? null : record.resultHash.toString('hex'),
    inputsState: body === null ? 'erased' : body.i.w !== undefined ? 'withheld' : 'available',
    withheld,
    assignment: result === null ? null : (shownAssignment(result.assignment, result.controlGroup) as ShownAssignment),
    slateProbability: result?.slateProbability ?? null,
    result,
    ...(options.inputs
      ? { inputs: body === null ? null : (readableInputs(body.i, record, readSet, flow.refs) as RecordedInputs) }
      : {}),
  };
}

/** Replays the decision as `replayRecord` does. Audited. */
export async function replayDecision(tx: Tx, ports: RecordPorts, id: string) {
  const { recordId, flowKey, ...comparison } = await replayRecord(tx, ports, id);
  await recordAudit(tx, {
    action: 'replay',
    entityType: 'decision',
    entityId: recordId,
    entityName: flowKey,
    after: { identical: comparison.identical },
  });
  return comparison;
}

/**
 * Runs the engine on the recorded plan, inputs, clock and seed, and compares (docs/design/api-decisioning.md 12). Writes
 * nothing. 404, 409 `inputs_unavailable` and `record_corrupt`.
 */
export async function replayRecord(tx: Tx, ports: RecordPorts, id: string) {
  const { record, body } = await openRecord(tx, ports, id);
  assertReplayable(body);
  const flow = await planOf(tx, record, body);
  const { plan, refs } = flow;
  const decision = await runAgain(tx, record, body.i, flow);
  const replayed = resultText(decision, refs);
  const replayedHash = resultHash(replayed, itemTexts(decision));
  const identical = replayedHash.equals(record.resultHash);
  const differences = diffResults(unpackResult(body.r, refs), unpackResult(readResultText(replayed), refs));
  // Only the hash covers what the record doesn't repeat (content, computed fields).
  const hidden = !identical && differences.length === 0;
  return {
    identical,
    differences: hidden
      ? [{ path: '/items', recorded: 'content as hashed', replayed: 'other content' }]
      : differences.map((difference) => ({ ...difference })),
    resultHash: record.resultHash.toString('hex'),
    replayedHash: replayedHash.toString('hex'),
    engineVersion: engineStamp,
    recordedEngineVersion: record.engineVersion,
    recordId: record.id,
    flowKey: plan.flow.key,
  };
}

/** What a recorded decision was made of. */
export interface RecordedQuestion {
  readonly id: string;
  readonly flow: CompiledFlow;
  readonly input: DecisionInput;
  /** Version of the catalogue. */
  readonly configVersion: number;
}

/**
 * Returns what a customer's recorded decision was made of. `customerId` null: anyone's. Throws 404, also when it's another
 * customer's; 409 `inputs_unavailable`, `record_corrupt`.
 */
export async function recordedQuestion(
  tx: Tx,
  ports: RecordPorts,
  id: string,
  customerId: string | null,
): Promise<RecordedQuestion> {
  const { record, body } = await openRecord(tx, ports, id);
  if (customerId !== null && record.customerId !== null && record.customerId !== customerId) {
    throw new AppError('not_found', { detail: 'This decision of the customer does not exist.' });
  }
  assertReplayable(body);
  const flow = await planOf(tx, record, body);
  const input = await readInput(tx, record, body.i, flow);
  return { id: record.id, flow, input, configVersion: Number(record.configVersion) };
}

/**
 * Returns the scope in which a recorded decision's models read. Throws 404, 409 `inputs_unavailable`, `record_corrupt`.
 */
export async function recordedScope(tx: Tx, ports: RecordPorts, id: string): Promise<RecordedScope> {
  const { record, body } = await openRecord(tx, ports, id);
  assertReplayable(body);
  const flow = await planOf(tx, record, body);
  return openScope(flow.plan, await readInput(tx, record, body.i, flow));
}

/** Throws 409 for what was erased or never stored. */
function assertReplayable(body: OpenRecord['body']): asserts body is NonNullable<OpenRecord['body']> {
  if (body === null) throw new AppError('inputs_unavailable', { detail: 'The inputs were erased with the customer.' });
  if (body.i.w !== undefined) {
    throw new AppError('inputs_unavailable', { detail: `These inputs are never stored: ${body.i.w.join(', ')}.` });
  }
}

/**
 * Returns the plan of a record. The record's row must match the sealed body and the plan, neither of which can be
 * changed unnoticed: otherwise throws 409 `record_corrupt`.
 */
export async function planOf(tx: Tx, record: StoredRecord, body: OpenRecord['body']): Promise<CompiledFlow> {
  const flow = await openPlan(tx, record.planHash);
  const { id, version } = flow.plan.flow;
  const isOfPlan = record.flowId === id && record.flowVersion === version;
  const isOfBody = body === null || Number(record.evidenceNumber) === body.i.v;
  if (!isOfPlan || !isOfBody) {
    throw new AppError('record_corrupt', {
      detail: 'The record refers to a different flow or state than the one that made it.',
    });
  }
  return flow;
}

/** Repeats the decision on what was recorded. */
async function runAgain(tx: Tx, record: StoredRecord, packed: PackedInput, flow: CompiledFlow): Promise<Decision> {
  return decide(flow.plan, await readInput(tx, record, packed, flow), { trace: false });
}

async function readInput(
  tx: Tx,
  record: StoredRecord,
  packed: PackedInput,
  { plan, refs }: CompiledFlow,
): Promise<DecisionInput> {
  const evidence = evidenceView(await rebuildEvidence(tx, Number(record.evidenceNumber)));
  const objectiveCounts = record.countsNumber === null ? null : await countsOf(tx, Number(record.countsNumber));
  const seed = seedOf(tx.tenantId, record.requestId);
  const modelStates = await readStateBodies(tx, [...new Set(Object.values(packed.m ?? {}))]);
  const facts = { requestId: record.requestId, seed, evidence, modelStates, objectiveCounts, refs };
  return recordedInput(plan, packed, facts);
}

/** Returns the whole result when the rerun matches the recorded hash, otherwise what the record itself has. */
async function readResult(
  tx: Tx,
  record: StoredRecord,
  body: NonNullable<OpenRecord['body']>,
  flow: CompiledFlow,
): Promise<RecordedResult> {
  if (body.i.w === undefined) {
    const decision = await runAgain(tx, record, body.i, flow);
    const text = resultText(decision, flow.refs);
    if (resultHash(text, itemTexts(decision)).equals(record.resultHash)) return shownResult(resultOf(decision));
  }
  return shownResult(unpackResult(body.r, flow.refs));
}

/** Both sources give the JSON that the contract describes; decision-schemas.test.ts checks it for every decision of the corpus. */
const shownResult = (result: Json): RecordedResult => result as unknown as RecordedResult;

/** The record of a recommendationId, or of the id of a request or trace. */
async function find(tx: Tx, ports: RecordPorts, id: string): Promise<StoredRecord | null> {
  if (!isUuid(id)) return null;
  const direct = await findRecord(tx, id);
  if (direct !== null) return direct;
  const named = await ports.decisionNamed(tx, id);
  const stored = named === null ? null : await findRecord(tx, named);
  return stored ?? findArchived(tx, ports, named ?? id);
}

/** Returns the record from the file of its month. Throws 409 `record_corrupt` and 503 as `findArchivedRow`. */
async function findArchived(tx: Tx, { keys, archive }: RecordPorts, id: string): Promise<StoredRecord | null> {
  const row = await findArchivedRow(tx, archive, 'decisions', id);
  if (row === null) return null;
  const { customerRef: customer, plain, sealed } = row;
  const record = await recordOfJson(
    tx,
    rowJson(tx.tenantId, 'customer_ref', { id, customer, plain }, String.raw`{"result_hash": "\\x"}`),
  );
  if (record.dataKey === null || sealed === null) return record;
  try {
    const text = unseal(keys.open(tx.tenantId, record.dataKey), archiveContext(tx.tenantId, id), sealed);
    const secret = JSON.parse(text) as { readonly result_hash?: string };
    return { ...record, resultHash: Buffer.from(secret.result_hash?.slice(2) ?? '', 'hex') };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('record_corrupt', { detail: "The archived record can't be opened.", cause: error });
  }
}

/** Opens the record of a decision. Throws 404, 409 `record_corrupt`. */
export async function openRecord(tx: Tx, ports: RecordPorts, id: string): Promise<OpenRecord> {
  const record = await find(tx, ports, id.toLowerCase());
  if (record === null) throw new AppError('not_found', { detail: 'Decision not found.' });
  if (record.dataKey === null) return { record, body: null };
  try {
    const key = ports.keys.open(tx.tenantId, record.dataKey);
    const text = unseal(key, recordContext(tx.tenantId, record.id), record.body);
    const body = JSON.parse(text) as NonNullable<OpenRecord['body']>;
    return { record, body };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('record_corrupt', { detail: "The sealed record can't be opened.", cause: error });
  }
}

/** Returns the flows that were called and ran. Unknown, like the result, for an erased customer. */
function subFlowsOf(packed: PackedResult | undefined): { key: string; version: number | null }[] {
  const rows: Json = packed?.o.subFlows ?? [];
  if (!Array.isArray(rows)) return [];
  return rows
    .filter((row: Json) => isObject(row))
    .map(({ key, version }) => ({ key: String(key), version: version === null ? null : Number(version) }));
}
