import { type ApprovableType, approvedBy, isApprovable, type Operation } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isObject } from '../../../platform/json.ts';
import { readSettings } from '../../identity/settings/index.ts';
import type { GovernedRow, RecordSpec } from './record-spec.ts';

/** Transactions in which an approval is applied. */
const approved = new WeakSet<Tx>();

/** From here on the transaction may make records live, and change live ones: all stages of an approval have agreed. */
export function allowGoingLive(tx: Tx): void {
  approved.add(tx);
}

const isLive = (row: GovernedRow | null): boolean => row !== null && Reflect.get(row, 'status') === 'active';

/** Parts of a published flow that affect no decision until the next publishing, which needs its own approval. */
const actsOnPublishing = new Set(['autoAssembly', 'description', 'draftConfig', 'isProtected', 'name']);
const besideValues = new Set(['id', 'rowVersion', 'version']);

const columns = new Map<ApprovableType, readonly string[]>();

/** Columns that a direct write can change and that decisions see at once while the record is live. */
function actingColumns(entityType: ApprovableType): readonly string[] {
  const known = columns.get(entityType);
  if (known !== undefined) return known;
  const { body }: Operation = approvedBy[entityType].updateById;
  const properties: unknown = Reflect.get(body ?? {}, 'properties');
  const acting = Object.keys(isObject(properties) ? properties : {}).filter(
    (name) => !besideValues.has(name) && !(entityType === 'decisionFlow' && actsOnPublishing.has(name)),
  );
  columns.set(entityType, acting);
  return acting;
}

const textOf = (row: GovernedRow, name: string): string => JSON.stringify(Reflect.get(row, name)) ?? '';

/** A write of a record; `before` null: it is new. */
export interface WrittenRecord<Row extends GovernedRow> {
  readonly before: Row | null;
  readonly after: Row;
  /** The record's secrets were set again. */
  readonly changesSecrets?: boolean;
}

/**
 * `requireGoingLive` for a write after which a record of a kind that approvals change is live: because it was not before, or with
 * other values (docs/adr/0054). Taking a record out of use is free.
 */
export async function checkGoingLive<Row extends GovernedRow>(
  tx: Tx,
  { resource: { entityType, noun } }: RecordSpec<Row>,
  { before, after, changesSecrets = false }: WrittenRecord<Row>,
): Promise<void> {
  if (!isApprovable(entityType) || !isLive(after)) return;
  if (before !== null && isLive(before) && !changesSecrets) {
    const changes = actingColumns(entityType).some((name) => textOf(before, name) !== textOf(after, name));
    if (!changes) return;
  }
  await requireGoingLive(tx, noun);
}

/**
 * If the tenant requires approvals (`approvalWorkflowEnabled`), editors can't make governed records live or change live
 * ones: 403 `approval_required`. Admins can, and so can an approval (docs/design/api-access.md 6).
 */
export async function requireGoingLive(tx: Tx, noun: string): Promise<void> {
  if (tx.actor.role === 'admin' || approved.has(tx)) return;
  if (!(await readSettings(tx)).approvalWorkflowEnabled) return;
  throw new AppError('approval_required', {
    detail: `Editors need approval to make this ${noun} live or to change it while it's live. Request it with POST /api/v1/approvals.`,
  });
}
