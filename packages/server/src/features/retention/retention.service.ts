import type { Tx } from '../../db/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { findConfig, insertConfig, lockConfig, type RetentionConfig, updateConfig } from './retention.store.ts';

/** Days that a class of data is kept where the tenant has said nothing (docs/design/api-access.md 14). */
const defaultDays = { interactions: 730, summaries: 2_555, decisions: 365, traces: 90, metrics: 365, audit: 2_555 };

export type DataClass = keyof typeof defaultDays;

export interface Retention {
  /** 1 to 36,500. */
  readonly days: number;
  /** Nothing of the class is deleted while it is held. */
  readonly legalHold: boolean;
}

const longestDays = 36_500;

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
      detail: `retentionDays ${message}`,
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
    action: before === null ? 'create' : 'update',
    entityType: 'retentionConfig',
    entityId: after.id,
    entityName: dataClass,
    entityVersion: after.version,
    before,
    after,
  });
  return after;
}
