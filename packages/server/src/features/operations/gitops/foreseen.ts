import type { ErrorEntry, PolicyAction, PolicyChange } from '@arbiter/contract';
import { takeTurns } from '../../../platform/turns.ts';
import { type FieldChange, fieldChanges, type Members } from './json.ts';
import { placeOf, type WantedObject } from './judge.ts';
import { refKey, shownRef } from './layout.ts';
import { inOrder } from './order.ts';
import type { FileProblem } from './rules/kind-rules.ts';
import type { Session } from './session.ts';
import type { TenantFiles, TenantObject } from './tenant-files.ts';
import { changedNames, neededBy } from './wanted-values.ts';

/** What the files ask for, and what may be done for it. */
export interface RequestedWork {
  readonly wanted: ReadonlyMap<string, WantedObject>;
  readonly prune: boolean;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ForeseenOutcome {
  readonly changes: readonly PolicyChange[];
  readonly unchanged: number;
  readonly errors: readonly ErrorEntry[];
  readonly warnings: readonly ErrorEntry[];
  /** The objects of the files as they are now. */
  readonly after: ReadonlyMap<string, TenantObject>;
}

/** A change as plans tell it. */
export const changeOf = (
  action: PolicyAction,
  { kind, ref, path }: Pick<TenantObject, 'kind' | 'ref' | 'path'>,
  fields: readonly FieldChange[],
): PolicyChange => ({ action, type: kind.type, ref: shownRef(ref), path, fields: [...fields] });

/** The objects that only the tenant has. */
export const surplus = (tenant: TenantFiles, wanted: ReadonlyMap<string, WantedObject>): TenantObject[] =>
  [...tenant.objects].flatMap(([path, object]) => (wanted.has(path) ? [] : [object]));

/** The same, dependents first: the order in which they can be deleted. */
export async function deletable(
  tenant: TenantFiles,
  wanted: ReadonlyMap<string, WantedObject>,
): Promise<TenantObject[]> {
  const left = new Map(surplus(tenant, wanted).map((object) => [object.path, object]));
  return (await inOrder(left, needsAmong(left))).reverse();
}

export function needsAmong(items: ReadonlyMap<string, TenantObject | WantedObject>) {
  const paths = new Map([...items].map(([path, { kind, ref }]) => [refKey(kind.entityType, ref), path]));
  const metrics = [...items].filter(([, { kind }]) => kind.entityType === 'behavioralMetric');
  return ({ kind, body }: TenantObject | WantedObject, own: string): string[] => [
    ...neededBy(kind, body).flatMap((key) => {
      const path = paths.get(key);
      return path === undefined || path === own ? [] : [path];
    }),
    // Filters name metrics by key.
    ...(kind.entityType === 'segment' ? metrics.flatMap(([path, metric]) => (reads(body, metric) ? [path] : [])) : []),
  ];
}

const reads = ({ filters }: Members, { body }: TenantObject | WantedObject): boolean =>
  JSON.stringify(filters ?? null).includes(JSON.stringify(`metric.${String(body.key)}`));

/** Why a change that loses data is refused until the caller allows it. */
export const heldBack = (lost: FileProblem): FileProblem => ({
  ...lost,
  message: `${lost.message}; to allow it, set allowDataLoss (--allow-data-loss)`,
});

/** Before anything is tried: the changes by the texts alone, and what `apply` refuses because it loses data. */
export async function foreseen(
  session: Session,
  tenant: TenantFiles,
  { wanted, prune }: RequestedWork,
): Promise<ForeseenOutcome> {
  const changes: PolicyChange[] = [];
  const warnings: ErrorEntry[] = [];
  const errors: ErrorEntry[] = [];
  const tellLost = (path: string, lost: FileProblem | null): void => {
    if (lost === null) return;
    if (session.allowDataLoss) warnings.push(entryAt(path, lost.pointer, lost.message));
    else errors.push(entryAt(path, lost.pointer, heldBack(lost).message));
  };
  let unchanged = 0;
  const turns = takeTurns();
  for (const object of await inOrder(wanted, needsAmong(wanted))) {
    const pause = turns();
    if (pause !== undefined) await pause;
    const current = tenant.objects.get(object.path);
    if (current === undefined) {
      changes.push(changeOf('create', object, fieldChanges(null, object.body)));
      continue;
    }
    const names = changedNames(session, object, current);
    const lost = object.kind.rules.losesData?.(current, object.body) ?? null;
    if (names.length === 0) unchanged += 1;
    else
      changes.push(changeOf(lost === null ? 'update' : 'replace', object, changedFields(object.body, current, names)));
    tellLost(object.path, lost);
  }
  for (const object of prune ? await deletable(tenant, wanted) : []) {
    changes.push(changeOf('delete', object, []));
    tellLost(object.path, object.kind.rules.losesData?.(object, null) ?? null);
  }
  return { changes, unchanged, errors, warnings, after: tenant.objects };
}

const only = (body: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));

const changedFields = (body: Members, current: TenantObject, names: readonly string[]): FieldChange[] =>
  fieldChanges(only(current.body, names), only(body, names));

/** A finding about a file, as answers tell it. */
export const entryAt = (path: string, pointer: string, message: string, code?: string): ErrorEntry => ({
  path: placeOf(path, pointer),
  message,
  ...(code === undefined ? {} : { code }),
});

/** True when trying the work would make decisions wait for tables (a plan must not). */
export function blocksDecisions(tenant: TenantFiles, { wanted, prune }: RequestedWork): boolean {
  const changed = [...wanted.values()].some(({ kind, path, body }) => {
    const current = tenant.objects.get(path);
    return current !== undefined && kind.rules.blocks?.(current, body) === true;
  });
  return (
    changed || (prune && surplus(tenant, wanted).some((object) => object.kind.rules.blocks?.(object, null) === true))
  );
}
