import type { Resource } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { columnDefaults } from '../../../db/column-defaults.ts';
import { tableOf } from './record-spec.ts';

const byTable = new Map<string, Readonly<Record<string, Json>>>(Object.entries(columnDefaults));

/**
 * Returns a new record's values where nothing is given: the columns' defaults, null for a nullable column without one.
 * By property; required columns are missing.
 */
export const columnDefaultsOf = (resource: Resource): ReadonlyMap<string, Json> =>
  new Map(Object.entries(byTable.get(tableOf(resource)) ?? {}));

/** Values with those of the defaults that are missing in them. */
type WithDefaults<Defaults, Values> = Omit<Values, keyof Defaults> & {
  readonly [K in keyof Defaults]: K extends keyof Values ? Exclude<Values[K], undefined> | Defaults[K] : Defaults[K];
};

/** Returns what a row has that is created with these values. */
export function withDefaults<Defaults extends object, Values extends object>(
  defaults: Defaults,
  values: Values,
): WithDefaults<Defaults, Values> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) } as WithDefaults<Defaults, Values>;
}
