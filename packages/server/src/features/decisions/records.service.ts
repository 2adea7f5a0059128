import { hash } from 'node:crypto';
import { canonicalJson, decide, diffResults, engineVersion, type Json, resultOf } from '@arbiter/engine';
import type { Tx } from '../../db/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import type { CustomerKeys } from './customer-keys.ts';
import { recordContext, seedOf } from './decide-batch.ts';
import { rebuildEvidence } from './evidence.store.ts';
import { evidenceView } from './evidence.ts';
import { type PackedInput, unpackInput } from './record.ts';
import { findPlanBody, findRecord, type StoredRecord } from './records.store.ts';
import { SealBroken, unseal } from './sealing.ts';
import { type CompiledFlow, openPlan } from './tenant-catalogue.ts';

interface OpenRecord {
  readonly record: StoredRecord;
  /** Null when the customer was erased and with it the key. */
  readonly body: { readonly i: PackedInput; readonly r: Json } | null;
}

/** The decision as `GET /decisions/{id}` answers it (api-decisioning.md 12). 404, 409 `record_corrupt`. */
export async function readDecision(tx: Tx, keys: CustomerKeys, id: string, options: { readonly inputs: boolean }) {
  const { record, body } = await open(tx, keys, id);
  const flow = await readPlan(tx, record);
  const withheld = body?.i.w ?? [];
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
    seed: seedOf(tx.tenantId, record.requestId),
    inputsHash: body === null ? null : hash('sha256', JSON.stringify(body.i), 'hex'),
    resultHash: record.resultHash.toString('hex'),
    inputsState: body === null ? 'erased' : withheld.length > 0 ? 'withheld' : 'available',
    withheld: [...withheld],
    assignment: null,
    slateProbability: body === null ? null : slateProbabilityOf(body.r),
    result: body === null ? null : asObject(body.r),
    ...(options.inputs ? { inputs: body === null ? null : readableInputs(body.i) } : {}),
  };
}

/** Runs the engine on the recorded plan, inputs, clock and seed, and compares (api-decisioning.md 12). Audited. */
export async function replayDecision(tx: Tx, keys: CustomerKeys, id: string) {
  const { record, body } = await open(tx, keys, id);
  if (body === null) throw new AppError('inputs_unavailable', { detail: 'the inputs were erased with the customer' });
  if (body.i.w !== undefined) {
    throw new AppError('inputs_unavailable', { detail: `inputs are never stored: ${body.i.w.join(', ')}` });
  }
  const { plan } = await readPlan(tx, record);
  const evidence = evidenceView(await rebuildEvidence(tx, Number(record.evidenceNumber)));
  const input = unpackInput(body.i, seedOf(tx.tenantId, record.requestId), evidence, plan.windows.length);
  const replayed = resultOf(decide(plan, input, { trace: false }));
  const replayedHash = hash('sha256', canonicalJson(replayed), 'buffer');
  await recordAudit(tx, {
    action: 'replay',
    entityType: 'decision',
    entityId: record.id,
    entityName: plan.flow.key,
    after: { identical: replayedHash.equals(record.resultHash) },
  });
  return {
    identical: replayedHash.equals(record.resultHash),
    differences: diffResults(body.r, replayed).map((d) => ({ ...d })),
    resultHash: record.resultHash.toString('hex'),
    replayedHash: replayedHash.toString('hex'),
    engineVersion,
    recordedEngineVersion: record.engineVersion,
  };
}

async function open(tx: Tx, keys: CustomerKeys, id: string): Promise<OpenRecord> {
  const record = await findRecord(tx, id.toLowerCase());
  if (record === null) throw new AppError('not_found', { detail: 'decision not found' });
  if (record.wrappedKey === null) return { record, body: null };
  try {
    const key = keys.open(tx.tenantId, record.wrappedKey);
    const body = JSON.parse(unseal(key, recordContext(tx.tenantId, record.id), record.body)) as {
      i: PackedInput;
      r: Json;
    };
    if (!hash('sha256', canonicalJson(body.r), 'buffer').equals(record.resultHash)) throw new SealBroken('result hash');
    return { record, body };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('record_corrupt', { detail: 'the sealed record cannot be opened', cause: error });
  }
}

async function readPlan(tx: Tx, record: StoredRecord): Promise<CompiledFlow> {
  const body = await findPlanBody(tx, record.planHash);
  if (body === null) throw new AppError('record_corrupt', { detail: 'the plan of the record is missing' });
  return openPlan(record.planHash, body);
}

/** Inputs with the names of api-decisioning.md 12. */
function readableInputs(packed: PackedInput): Record<string, unknown> {
  return {
    request: packed.q,
    profile: packed.p,
    enriched: packed.e ?? {},
    metrics: {},
    segments: packed.g ?? [],
    counters: packed.c ? { lanes: packed.c[0], lastAt: packed.c[1], counts: packed.c[2] } : null,
    suppressions: packed.s ?? [],
    evidence: { number: packed.v },
    modelStates: {},
    external: {},
    now: packed.n,
    zones: packed.z,
  };
}

function asObject(value: Json): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new AppError('record_corrupt');
  return value as Record<string, unknown>;
}

function slateProbabilityOf(result: Json): number | null {
  const value = asObject(result).slateProbability;
  return typeof value === 'number' ? value : null;
}
