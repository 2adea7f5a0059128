import type { ErrorEntry } from '@arbiter/contract';
import { sql } from '../../db/sql.ts';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { type Addressed, isUuid } from './record-spec.ts';

/**
 * The catalogue tables that other records refer to by id, or that refer to others: the one place where a feature may
 * name a table of its neighbour (features of one tier do not import each other).
 */
export const referable = {
  schema: { table: 'schemas', noun: 'schema', softDelete: false },
  category: { table: 'categories', noun: 'category', softDelete: true },
  subCategory: { table: 'sub_categories', noun: 'sub-category', softDelete: true },
  channel: { table: 'channels', noun: 'channel', softDelete: true },
  placement: { table: 'placements', noun: 'placement', softDelete: true },
  outcomeType: { table: 'outcome_types', noun: 'outcome type', softDelete: true },
  offer: { table: 'offers', noun: 'offer', softDelete: true },
  creative: { table: 'creatives', noun: 'creative', softDelete: true },
  qualificationRule: { table: 'qualification_rules', noun: 'qualification rule', softDelete: true },
  contactPolicy: { table: 'contact_policies', noun: 'contact policy', softDelete: true },
  decisionFlow: { table: 'decision_flows', noun: 'decision flow', softDelete: true },
} as const satisfies Record<string, { table: string; noun: string; softDelete: boolean }>;

export type Referable = keyof typeof referable;

type AnyTables = Record<string, Record<string, unknown>>;

/**
 * Checks that `id` names a live record of the tenant and keeps it alive until the transaction ends: the row is locked
 * against deletion (FOR KEY SHARE), so that nothing new ever refers to a row that is being deleted (quality.md E13).
 * Throws 400 `reference_not_found` with `path` (JSON Pointer into the body), the same for missing, deleted, foreign and
 * malformed ids. Returns the columns asked for (camelCase).
 */
export async function requireLive(
  tx: Tx,
  resource: Referable,
  id: string,
  path: string,
  columns: readonly string[] = ['id'],
): Promise<Readonly<Record<string, unknown>>> {
  const { table, noun, softDelete } = referable[resource];
  const missing = () =>
    new AppError('reference_not_found', {
      detail: `${path} does not name a ${noun} of this tenant.`,
      errors: [{ path, message: `does not name a ${noun}` }],
    });
  if (!isUuid(id)) throw missing();
  let query = tx
    .kysely<AnyTables>()
    .selectFrom(table)
    .select([...columns])
    .where('id', '=', id)
    .where('tenantId', '=', tx.tenantId);
  if (softDelete) query = query.where('deletedAt', 'is', null);
  const row = await query.forKeyShare().executeTakeFirst();
  if (row === undefined) throw missing();
  return row;
}

/** One kind of reference that keeps a record from being deleted. */
export interface Referrer {
  readonly resource: Referable;
  /** The referring column (camelCase): `categoryId`. */
  readonly column: string;
  /** `equals` (default): the column is the value; `mentions`: the value is a text anywhere inside the jsonb column. */
  readonly match?: 'equals' | 'mentions';
  /** Only referrers with these values count: `{ status: 'active' }`. */
  readonly having?: Readonly<Record<string, string>>;
}

const maximumReferrersShown = 20;

/**
 * Throws 409 `in_use` when live records refer to `value` (an id, or a key that others use), with one `errors[]` entry per referrer, at most 20: `path` the id
 * parameter, `message` resource, name, id (api-catalogue.md). Call it while the row is locked for deletion.
 */
export async function assertNotReferenced(
  tx: Tx,
  noun: string,
  value: string,
  addressed: Addressed,
  referrers: readonly Referrer[],
): Promise<void> {
  const entries: ErrorEntry[] = [];
  for (const { resource, column, match, having } of referrers) {
    if (entries.length >= maximumReferrersShown) break;
    const { table, noun: referrerNoun, softDelete } = referable[resource];
    let query = tx.kysely<AnyTables>().selectFrom(table).select(['id', 'name']).where('tenantId', '=', tx.tenantId);
    query =
      match === 'mentions'
        ? query.where(sql<boolean>`jsonb_path_exists(${sql.ref(column)}, '$.** ? (@ == $value)', ${mention(value)})`)
        : query.where(column, '=', value);
    if (softDelete) query = query.where('deletedAt', 'is', null);
    for (const [key, wanted] of Object.entries(having ?? {})) query = query.where(key, '=', wanted);
    const rows = await query
      .orderBy(sql.ref('id'))
      .limit(maximumReferrersShown - entries.length)
      .execute();
    entries.push(...rows.map((row) => inUseEntry(addressed, referrerNoun, String(row.name), String(row.id))));
  }
  if (entries.length > 0) throw inUse(noun, entries);
}

const mention = (value: string) => sql`jsonb_build_object('value', ${value}::text)`;

/** One `errors[]` entry of `in_use`. */
export function inUseEntry(addressed: Addressed, noun: string, name: string, id: string): ErrorEntry {
  return { path: `${addressed}.id`, message: `is used by ${noun} ${JSON.stringify(name)} (${id})` };
}

/** 409 `in_use` with the referrers found; at most 20 are shown. */
export function inUse(noun: string, entries: readonly ErrorEntry[]): AppError {
  return new AppError('in_use', {
    detail: `The ${noun} is still referred to.`,
    errors: entries.slice(0, maximumReferrersShown),
  });
}
