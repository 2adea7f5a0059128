import { type ApprovableType, approvedBy, isApprovable, type Operation } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { callInside, type InsideHandlers } from '../../../http/binding/call-inside.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { createBodyReader } from '../../../http/input/input.ts';
import { createChecks } from '../../../http/input/validation.ts';
import { AppError, invalid, refusalBelow } from '../../../platform/app-error.ts';
import { isObject } from '../../../platform/json.ts';
import { allowGoingLive, requireVersion } from '../../catalogue/catalogue-records/index.ts';
import type { ApprovalRow, Payload } from './approvals.store.ts';

/** The request, with its secrets. */
export type WantedChange = Pick<ApprovalRow, 'entityType' | 'entityId' | 'action'> & { readonly payload: Payload };

const checks = createChecks();
const readers = new Map<string, (body: unknown) => unknown>();

/** The payload as the binder would have read the body of the direct write. Throws 400 `validation_failed`. */
function readBody(operation: Operation, body: Payload): unknown {
  const known = readers.get(operation.id) ?? createBodyReader(operation, checks.compile);
  readers.set(operation.id, known);
  return known(body);
}

/** Calls the operations that do the work, in the transaction and with the role of the one who approved. */
type ApprovedCall = (operation: Operation, input: Parameters<typeof callInside>[4]) => Promise<Json>;

/**
 * Makes the change as its own route would: the same schema, rules, role, versions and audit rows. Returns the record's
 * id. Throws what the direct write throws, with paths below `/payload`, and 409 `unsupported_entity_type`.
 */
export async function applyChange(
  tx: Tx,
  facts: RequestFacts,
  handlers: InsideHandlers,
  wanted: WantedChange,
): Promise<string> {
  const { entityType } = wanted;
  if (!isApprovable(entityType)) {
    throw new AppError('unsupported_entity_type', {
      detail: `${entityType} records can't be changed by approvals; ${Object.keys(approvedBy).join(', ')} can.`,
    });
  }
  allowGoingLive(tx);
  const remarks = tx.remarks.length;
  const call: ApprovedCall = (operation, input) => callInside(tx, facts, handlers, operation.id, input);
  try {
    return await change(tx, call, { ...wanted, entityType });
  } catch (error) {
    throw error instanceof AppError ? refusalBelow('/payload', error) : error;
  } finally {
    // They concern the payload, which the approver didn't write.
    tx.remarks.splice(remarks);
  }
}

/** The record as it is read by everyone, or null. */
export async function readTarget(
  tx: Tx,
  facts: RequestFacts,
  handlers: InsideHandlers,
  { entityType, entityId }: { readonly entityType: ApprovableType; readonly entityId: string },
): Promise<Payload | null> {
  try {
    const record = await callInside(tx, facts, handlers, approvedBy[entityType].get.id, { params: { id: entityId } });
    return isObject(record) ? record : null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

async function change(
  tx: Tx,
  call: ApprovedCall,
  { entityType, entityId, action, payload }: WantedChange & { readonly entityType: ApprovableType },
): Promise<string> {
  const operations = approvedBy[entityType];
  const { id: _id, version, rowVersion, publish, notes, ...values } = payload;
  const expected = expectedVersion(version, rowVersion);
  if (action === 'delete') {
    if (expected !== undefined) await requireVersion(tx, entityType, entityId, expected);
    await call(operations.deleteById, { params: { id: entityId } });
    // It was found, so that it is the id of a record, perhaps in other letters.
    return entityId.toLowerCase();
  }
  const publishes = entityType === 'decisionFlow' && isPublishing(publish);
  if (action === 'create') {
    const id = idOf(await call(operations.create, { body: readBody(operations.create, values) }));
    if (publishes) await publishFlow(call, id, notes, undefined);
    return id;
  }
  const versioned = expected === undefined ? {} : { rowVersion: expected };
  const body = readBody(operations.updateById, { ...values, ...versioned });
  const onlyPublishes = publishes && Object.keys(values).length === 0;
  if (!onlyPublishes) await call(operations.updateById, { params: { id: entityId }, body });
  if (publishes) await publishFlow(call, entityId, notes, onlyPublishes ? expected : undefined);
  return entityId.toLowerCase();
}

/** The version that the payload was written for. `version` is what most records call it. */
function expectedVersion(version: unknown, rowVersion: unknown): number | undefined {
  for (const [name, value] of [
    ['version', version],
    ['rowVersion', rowVersion],
  ] as const) {
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= 0)) {
      throw invalid(`/${name}`, 'must be an integer of at least 0');
    }
  }
  if (version !== undefined && rowVersion !== undefined && version !== rowVersion) {
    throw invalid('/version', 'must be the same as rowVersion');
  }
  const expected = rowVersion ?? version;
  return expected === undefined ? undefined : Number(expected);
}

function isPublishing(publish: unknown): boolean {
  if (publish === undefined || typeof publish === 'boolean') return publish === true;
  throw invalid('/publish', 'must be true or false');
}

async function publishFlow(
  call: ApprovedCall,
  id: string,
  notes: unknown,
  rowVersion: number | undefined,
): Promise<void> {
  const operation = approvedBy.decisionFlow.publish;
  const body = readBody(operation, {
    id,
    ...(notes === undefined ? {} : { notes }),
    ...(rowVersion === undefined ? {} : { rowVersion }),
  });
  await call(operation, { body });
}

function idOf(record: Json): string {
  const id = isObject(record) ? record.id : undefined;
  if (typeof id !== 'string') throw new Error('a new record has an id');
  return id;
}
