import {
  type DecisionInput,
  type Evidence,
  openFeatures,
  openScope,
  type PackedInput,
  type ReadFeatures,
  type RecordedScope,
  reduceRequest,
  unpackInput,
} from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { type CompiledFlow, openPlan, readNames } from '../plans/index.ts';
import { recordContext, seedOf } from './decision-ids.ts';
import { findRecords, type StoredRecord, selectReadSets } from './sealed-records.store.ts';
import { unseal } from './sealing.ts';

/** Features don't depend on evidence. */
const noEvidence: Evidence = { number: 0, global: [0, 0], offer: () => [0, 0], category: () => [0, 0] };

/**
 * Returns what models read in these decisions, by decision: the values of that time, never today's. Decisions whose inputs
 * were erased, whose record expired or can't be opened, are left out.
 */
export async function readRecordedFeatures(
  tx: Tx,
  keys: CustomerKeys,
  decisionIds: readonly string[],
): Promise<ReadonlyMap<string, ReadFeatures>> {
  return readEach(tx, keys, decisionIds, openFeatures);
}

/** Tells whether a record holds what the customer's column with this name was. */
export type HoldsColumn = (name: string) => boolean;

/**
 * Returns which columns of their customers these decisions recorded, by decision: an empty value and one that nobody read look
 * alike. Decisions from before there were read sets are left out.
 */
export async function readRecordedColumns(
  tx: Tx,
  decisionIds: readonly string[],
): Promise<ReadonlyMap<string, HoldsColumn>> {
  const readSets = await selectReadSets(tx, decisionIds);
  const holds = new Map<number, HoldsColumn>();
  for (const id of new Set(readSets.values())) {
    const names = await readNames(tx, id);
    const recordedNames = new Set([...Object.values(names?.columns ?? {}).flat(), ...(names?.joined ?? [])]);
    holds.set(id, (name) => recordedNames.has(name));
  }
  return new Map(
    [...readSets].flatMap(([decisionId, id]) => {
      const known = holds.get(id);
      return known === undefined ? [] : [[decisionId, known] as const];
    }),
  );
}

/** Returns the scopes in which models read in these decisions. The same are left out. */
export async function readRecordedScopes(
  tx: Tx,
  keys: CustomerKeys,
  decisionIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedScope>> {
  return readEach(tx, keys, decisionIds, openScope);
}

async function readEach<T>(
  tx: Tx,
  keys: CustomerKeys,
  decisionIds: readonly string[],
  read: (plan: CompiledFlow['plan'], input: DecisionInput) => T,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const record of await findRecords(tx, decisionIds)) {
    const packed = openInput(tx, keys, record);
    if (packed === null) continue;
    const flow = await openPlan(tx, record.planHash);
    found.set(record.id, read(flow.plan, inputOf(tx, record, packed, flow)));
  }
  return found;
}

function openInput(tx: Tx, keys: CustomerKeys, record: StoredRecord): PackedInput | null {
  if (record.dataKey === null) return null;
  try {
    const text = unseal(keys.open(tx.tenantId, record.dataKey), recordContext(tx.tenantId, record.id), record.body);
    return (JSON.parse(text) as { readonly i: PackedInput }).i;
  } catch (error) {
    // A master key that is missing must stop the work. A damaged record must not.
    if (error instanceof AppError && error.code === 'not_configured') throw error;
    return null;
  }
}

function inputOf(tx: Tx, record: StoredRecord, packed: PackedInput, { plan, refs }: CompiledFlow): DecisionInput {
  const input = unpackInput(packed, {
    requestId: record.requestId,
    seed: seedOf(tx.tenantId, record.requestId),
    evidence: noEvidence,
    modelStates: new Map(),
    windows: plan.windows.length,
    refs,
  });
  return { ...input, request: reduceRequest(input.request, plan) };
}
