import type { DataClass } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import type { Removed } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  findConfig,
  findRemoval,
  insertConfig,
  listConfigs,
  lockConfig,
  noteRemoval,
  type RetentionConfig,
  updateConfig,
} from './retention.store.ts';

/** Days that a class of data is kept where the tenant has said nothing (docs/design/api-access.md 14). */
const defaultDays: Readonly<Record<DataClass, number>> = {
  interactions: 730,
  summaries: 2_555,
  decisions: 365,
  traces: 90,
  metrics: 365,
  audit: 2_555,
};

export interface Retention {
  /** 1 to 36,500. */
  readonly days: number;
  /** Nothing of the class is deleted while it is held. */
  readonly legalHold: boolean;
}

const longestDays = 36_500;

/** Removes a slice of a class by the tenant's retention; nothing while the class is held. */
export async function removeByAge(
  tx: Tx,
  dataClass: DataClass,
  remove: (days: number) => Promise<Removed>,
): Promise<Removed> {
  const { days, legalHold } = await retentionOf(tx, dataClass);
  if (legalHold) return { rows: 0, more: false };
  const removed = await remove(days);
  if (removed.rows > 0) await noteRemoval(tx, dataClass, new Date(tx.now.getTime() - days * dayMs));
  return removed;
}

const dayMs = 86_400_000;

/**
 * Returns the instant before which data of a class was deleted by its age; null if none ever was. Retention alone doesn't tell,
 * because it may have been raised since.
 */
export const removedBefore = (tx: Tx, dataClass: DataClass): Promise<Date | null> => findRemoval(tx, dataClass);

/** How long the tenant keeps a class of data. */
export async function retentionOf(tx: Tx, dataClass: DataClass): Promise<Retention> {
  const config = await findConfig(tx, dataClass);
  return { days: config?.retentionDays ?? defaultDays[dataClass], legalHold: config?.legalHold ?? false };
}

/** Sets what is given for a class of data, with its audit row. Throws 400 `validation_failed` for days out of range. */
export async function changeRetention(
  tx: Tx,
  dataClass: DataClass,
  change: Partial<Retention>,
): Promise<RetentionConfig> {
  const { days, legalHold } = change;
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= longestDays)) {
    const message = `must be a whole number from 1 to ${longestDays}`;
    throw new AppError('validation_failed', {
      detail: `retentionDays ${message}.`,
      errors: [{ path: '/retentionDays', message }],
    });
  }
  const before = await lockConfig(tx, dataClass);
  const after: RetentionConfig = {
    id: before?.id ?? newId(),
    dataClass,
    retentionDays: days ?? before?.retentionDays ?? defaultDays[dataClass],
    legalHold: legalHold ?? before?.legalHold ?? false,
    version: (before?.version ?? 0) + 1,
  };
  await (before === null ? insertConfig(tx, after) : updateConfig(tx, after));
  await recordAudit(tx, {
    action: 'update',
    entityType: 'retentionConfig',
    entityId: after.id,
    entityName: dataClass,
    entityVersion: after.version,
    before,
    after,
  });
  return after;
}

/** What the tenant has set, by class. */
export const listRetention = (tx: Tx): Promise<RetentionConfig[]> => listConfigs(tx);

/**
 * Sets what is given for a class of data. `warning` names what the tenant loses: outcomes go on coming for months after a
 * decision, and records without them judge nothing (docs/design/recording.md). Throws 400 `validation_failed`.
 */
export async function setRetention(
  tx: Tx,
  dataClass: DataClass,
  change: Partial<Retention>,
): Promise<{ readonly config: RetentionConfig; readonly warning: string | null }> {
  const config = await changeRetention(tx, dataClass, change);
  const [interactions, decisions] = [await retentionOf(tx, 'interactions'), await retentionOf(tx, 'decisions')];
  return { config, warning: outcomesGoFirst(interactions, decisions) };
}

/** Days that interactions should outlive the decisions that they are outcomes of. */
const outcomeDays = 90;

function outcomesGoFirst(interactions: Retention, decisions: Retention): string | null {
  if (interactions.legalHold || interactions.days >= decisions.days + outcomeDays) return null;
  return (
    `interactions are kept for ${interactions.days} days and decisions for ${decisions.days}; decisions can't be evaluated without ` +
    `their outcomes, so keep interactions ${outcomeDays} days longer than decisions`
  );
}
