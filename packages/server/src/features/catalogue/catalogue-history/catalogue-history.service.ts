import { type EntityType, resources } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import {
  type HistoricRecord,
  type Instant,
  selectNumberAt,
  selectRecordAt,
  selectRecordsAt,
} from './catalogue-history.store.ts';

export type { HistoricRecord } from './catalogue-history.store.ts';

/** Kinds of records with a history: those of the resources, the published versions of flows, and the tenant's settings. */
export type GovernedType = EntityType | 'flowVersion' | 'tenantSettings';

/** All of them. */
export const governedTypes: readonly string[] = [...Object.keys(resources), 'flowVersion', 'tenantSettings'];

/** The catalogue at one of its numbers. */
export interface HistoricCatalogue {
  readonly configVersion: number;
  /** Records that were there and not deleted, by type and id. Of a flow's published versions, the newest only. */
  readonly records: readonly HistoricRecord[];
}

/**
 * The number of the catalogue that was in force at an instant; 0 before the first. Null when the history, which starts
 * with the upgrade that brought it, does not reach back so far.
 */
async function numberAsOf(tx: Tx, instant: Instant): Promise<number | null> {
  const { number, first } = await selectNumberAt(tx, instant);
  if (number !== null) return number;
  return first === null || first === 1 ? 0 : null;
}

/** The catalogue as it was at an instant (docs/design/recording.md S14); null before the history begins. */
export async function catalogueAsOf(
  tx: Tx,
  instant: Instant,
  types: readonly GovernedType[] | null = null,
): Promise<HistoricCatalogue | null> {
  const configVersion = await numberAsOf(tx, instant);
  return configVersion === null ? null : catalogueAt(tx, configVersion, types);
}

/** The catalogue at one of its numbers, such as a decision recorded. `types`: null is every kind. */
export async function catalogueAt(
  tx: Tx,
  configVersion: number,
  types: readonly GovernedType[] | null = null,
): Promise<HistoricCatalogue> {
  return { configVersion, records: await selectRecordsAt(tx, configVersion, types) };
}

/**
 * One record as it was at an instant, `deleted` included; null when it did not exist, when the id is malformed, and
 * before the history begins.
 */
export async function recordAsOf(
  tx: Tx,
  type: GovernedType,
  id: string,
  instant: Instant,
): Promise<HistoricRecord | null> {
  if (!isUuid(id)) return null;
  const configVersion = await numberAsOf(tx, instant);
  return configVersion === null ? null : selectRecordAt(tx, type, id, configVersion);
}
