import type { ErrorEntry, PolicyAction, PolicyChange } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { AppError } from '../../platform/app-error.ts';
import { forgetAuditSince, markAudit } from '../audit/index.ts';
import { backToSavepoint, releaseSavepoint, setSavepoint } from './gitops.store.ts';
import { type FieldChange, fieldChanges, type Members, membersOf } from './json.ts';
import { maximumErrors, placeOf, type WantedObject } from './judge.ts';
import { createProperties, type Kind, operationOf } from './kinds.ts';
import { refKey, shownRef, toldRef } from './layout.ts';
import { inOrder } from './order.ts';
import { changedValues } from './rules/flows.ts';
import type { CurrentRecord } from './rules/kind-rules.ts';
import type { Session } from './session.ts';
import { readObject, type TenantFiles, type TenantObject } from './tenant-files.ts';
import { changedNames, neededBy, type Values, valuesOf } from './wanted-values.ts';

/** What the files ask for, and what may be done for it. */
export interface Work {
  readonly wanted: ReadonlyMap<string, WantedObject>;
  readonly prune: boolean;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly changes: readonly PolicyChange[];
  readonly unchanged: number;
  readonly errors: readonly ErrorEntry[];
  readonly warnings: readonly ErrorEntry[];
  /** The objects of the files as they are now. */
  readonly after: ReadonlyMap<string, TenantObject>;
}

export const changeOf = (
  action: PolicyAction,
  { kind, ref, path }: Pick<TenantObject, 'kind' | 'ref' | 'path'>,
  fields: readonly FieldChange[],
): PolicyChange => ({ action, type: kind.type, ref: shownRef(ref), path, fields: [...fields] });

/** The objects that only the tenant has, dependents first: the order in which they can be deleted. */
export function surplus(tenant: TenantFiles, wanted: ReadonlyMap<string, WantedObject>): TenantObject[] {
  const left = new Map([...tenant.objects].filter(([path]) => !wanted.has(path)));
  return inOrder(left, needsAmong(left)).reverse();
}

function needsAmong(items: ReadonlyMap<string, TenantObject | WantedObject>) {
  const paths = new Map([...items].map(([path, { kind, ref }]) => [refKey(kind.entityType, ref), path]));
  return ({ kind, body }: TenantObject | WantedObject, own: string): string[] =>
    neededBy(kind, body).flatMap((key) => {
      const path = paths.get(key);
      return path === undefined || path === own ? [] : [path];
    });
}

/** Before anything is tried: the changes by the texts alone. */
export function foreseen(session: Session, tenant: TenantFiles, { wanted, prune }: Work): Outcome {
  const changes: PolicyChange[] = [];
  const warnings: ErrorEntry[] = [];
  let unchanged = 0;
  for (const object of inOrder(wanted, needsAmong(wanted))) {
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
    if (lost !== null) warnings.push(entryAt(object.path, lost.pointer, lost.message));
  }
  for (const object of prune ? surplus(tenant, wanted) : []) {
    changes.push(changeOf('delete', object, []));
    const lost = object.kind.rules.losesData?.(object, null) ?? null;
    if (lost !== null) warnings.push(entryAt(object.path, lost.pointer, lost.message));
  }
  return { changes, unchanged, errors: [], warnings, after: tenant.objects };
}

const only = (body: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));

const changedFields = (body: Members, current: TenantObject, names: readonly string[]): FieldChange[] =>
  fieldChanges(only(current.body, names), only(body, names));

const entryAt = (path: string, pointer: string, message: string, code?: string): ErrorEntry => ({
  path: placeOf(path, pointer),
  message,
  ...(code === undefined ? {} : { code }),
});

/** True when trying the work would make decisions wait for tables (a plan must not). */
export function blocksDecisions(tenant: TenantFiles, { wanted, prune }: Work): boolean {
  const changed = [...wanted.values()].some(({ kind, path, body }) => {
    const current = tenant.objects.get(path);
    return current !== undefined && kind.rules.blocks?.(current, body) === true;
  });
  return (
    changed || (prune && surplus(tenant, wanted).some((object) => object.kind.rules.blocks?.(object, null) === true))
  );
}

interface State {
  readonly session: Session;
  readonly tenant: TenantFiles;
  readonly work: Work;
  readonly current: Map<string, TenantObject>;
  readonly before: ReadonlyMap<string, TenantObject>;
  readonly actions: Map<string, PolicyAction>;
  readonly errors: ErrorEntry[];
  readonly warnings: ErrorEntry[];
  /** Paths of objects that could not be written: who names them is not blamed. */
  readonly failed: Set<string>;
}

/**
 * Does the work through the operations of the API: creations and changes in the order of their references, deletions
 * backwards. Everything is tried, also behind an error, so that all errors are told; the caller rolls back when there is one.
 */
export async function carryOut(session: Session, tenant: TenantFiles, work: Work): Promise<Outcome> {
  const state: State = {
    session,
    tenant,
    work,
    current: new Map(tenant.objects),
    before: tenant.objects,
    actions: new Map(),
    errors: [],
    warnings: [],
    failed: new Set(),
  };
  const ordered = inOrder(work.wanted, needsAmong(work.wanted));
  const again: WantedObject[] = [];
  for (const object of ordered) if (!(await write(state, object, true))) again.push(object);
  // What names a record that came later, and what takes a name that another had.
  const last: WantedObject[] = [];
  for (const object of again) if (!(await write(state, object, work.prune))) last.push(object);
  const deleted: PolicyChange[] = [];
  for (const object of work.prune ? surplus(tenant, work.wanted) : []) {
    const change = await remove(state, object);
    if (change !== null) deleted.push(change);
  }
  for (const object of last) await write(state, object, false);
  return outcomeOf(state, ordered, deleted);
}

function outcomeOf(state: State, ordered: readonly WantedObject[], deleted: readonly PolicyChange[]): Outcome {
  const { actions, before, current, errors, warnings } = state;
  const changes = ordered.flatMap(({ path }) => {
    const [was, is, action] = [before.get(path), current.get(path), actions.get(path)];
    if (is === undefined || action === undefined) return [];
    return [changeOf(action, is, fieldChanges(was?.body ?? null, is.body))];
  });
  const failed = [...ordered].filter(({ path }) => state.failed.has(path)).length;
  return {
    changes: [...changes, ...deleted],
    unchanged: ordered.length - changes.length - failed,
    errors: errors.slice(0, maximumErrors),
    warnings,
    after: current,
  };
}

/** False: to be tried again later, because of what is not there yet. `mayWait`: there is a later. */
async function write(state: State, object: WantedObject, mayWait: boolean): Promise<boolean> {
  const { session, work, tenant } = state;
  const current = state.current.get(object.path) ?? null;
  const names = current === null ? [] : changedNames(session, object, current);
  if (current !== null && names.length === 0) return true;
  const values = valuesOf(session, object, current, tenant.directory, work.secrets);
  const problems = [...values.problems, ...unchangeable(object.kind, current, names)];
  const lost = current === null ? null : (object.kind.rules.losesData?.(current, object.body) ?? null);
  if (lost !== null && !session.allowDataLoss) {
    problems.push({ ...lost, message: `${lost.message}; allow it by allowDataLoss (--allow-data-loss)` });
  }
  if (problems.length > 0) {
    for (const { pointer, message, code } of problems) fail(state, object, pointer, message, code);
    return true;
  }
  // A record that failed is not there; its own error is enough.
  if (values.early.size > 0 && !mayWait) {
    state.failed.add(object.path);
    if (!needsFailed(state, object)) {
      for (const name of values.early) fail(state, object, `/${name}`, 'names what names it back');
    }
    return true;
  }
  const isWhole = values.early.size === 0;
  const tried = await attempt(state, object, current, mayWait, () =>
    current === null
      ? make(session, object, isWhole ? values : withoutEarly(values))
      : change(
          session,
          object.kind,
          current,
          values,
          isWhole ? names : names.filter((name) => !values.early.has(name)),
        ),
  );
  return tried === 'failed' || (tried === 'done' && isWhole);
}

const needsFailed = (state: State, object: WantedObject): boolean =>
  needsAmong(state.work.wanted)(object, object.path).some((path) => state.failed.has(path));

const withoutEarly = (values: Values): Values => ({
  ...values,
  body: Object.fromEntries(Object.entries(values.body).filter(([name]) => !values.early.has(name))),
  values: Object.fromEntries(Object.entries(values.values).filter(([name]) => !values.early.has(name))),
});

function fail(
  state: State,
  { path }: { readonly path: string },
  pointer: string,
  message: string,
  code?: string,
): void {
  state.failed.add(path);
  state.errors.push(entryAt(path, pointer, message, code));
}

function unchangeable(
  kind: Kind,
  current: TenantObject | null,
  names: readonly string[],
): { readonly pointer: string; readonly message: string; readonly code?: string }[] {
  if (current === null) return [];
  const able = new Set([...Object.keys(kind.resource.changes), ...(kind.rules.changes ?? [])]);
  return names
    .filter((name) => !able.has(name))
    .map((name) => ({ pointer: `/${name}`, message: `cannot change; delete the ${kind.noun} first` }));
}

/** Tries a write inside a savepoint; what changes nothing is taken back with its audit rows. */
async function attempt(
  state: State,
  object: WantedObject,
  current: TenantObject | null,
  mayWait: boolean,
  run: () => Promise<{ readonly id: string; readonly action: PolicyAction }>,
): Promise<'done' | 'failed' | 'again'> {
  const { session, tenant } = state;
  const mark = markAudit(session.tx);
  const remarks = session.tx.remarks.length;
  await setSavepoint(session.tx);
  try {
    const { id, action } = await run();
    const after = await readObject(session, object.kind, id, tenant.directory);
    if (after === null || after.path !== object.path) {
      const told = after === null ? 'nothing' : toldRef(after.ref);
      throw new AppError('validation_failed', {
        detail: `is stored as ${told}`,
        errors: [{ path: `/${object.kind.naming}`, message: `is stored as ${told}; write it so` }],
      });
    }
    if (current !== null && fieldChanges(current.body, after.body).length === 0) {
      await backToSavepoint(session.tx);
      forgetAuditSince(session.tx, mark);
    } else {
      await releaseSavepoint(session.tx);
      state.current.set(object.path, after);
      note(state, object.path, action);
    }
    for (const { path, nearest, reason } of session.tx.remarks.splice(remarks)) {
      const meant = nearest === null ? '' : `; did you mean ${nearest}?`;
      const pointer = object.kind.rules.toPointer?.(path) ?? path;
      state.warnings.push(entryAt(object.path, pointer, reason ?? `has no effect${meant}`));
    }
    return 'done';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await backToSavepoint(session.tx);
    forgetAuditSince(session.tx, mark);
    session.tx.remarks.splice(remarks);
    // Who has the name may lose it by what is written or deleted later.
    if (mayWait && (error.code === 'duplicate_name' || error.code === 'duplicate_key')) return 'again';
    refusedBy(state, object, error);
    return 'failed';
  }
}

/** A creation that is finished by a later change stays a creation. */
function note(state: State, path: string, action: PolicyAction): void {
  if (!state.before.has(path)) state.actions.set(path, 'create');
  else if (state.actions.get(path) !== 'replace') state.actions.set(path, action);
}

/** What a service refuses, and no fault of the server or race of the database. */
export function isRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.status >= 500) return false;
  return error.code !== 'concurrent_modification' || error.cause === undefined;
}

function refusedBy(state: State, object: WantedObject | TenantObject, error: AppError): void {
  const { code } = error;
  const toFile = (pointer: string) => object.kind.rules.toPointer?.(pointer) ?? pointer;
  if (error.errors.length === 0) fail(state, object, '', error.detail ?? error.message, code);
  for (const entry of error.errors) {
    const pointer = entry.path.startsWith('/') ? toFile(entry.path) : '';
    fail(state, object, pointer, entry.message, entry.code ?? code);
  }
}

async function make(
  session: Session,
  { kind }: WantedObject,
  values: Values,
): Promise<{ id: string; action: PolicyAction }> {
  if (kind.rules.create !== undefined) return { id: await kind.rules.create(values, session), action: 'create' };
  const created = createProperties(kind.resource);
  const whole = kind.rules.toCreate?.(values.values) ?? values.values;
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => Object.hasOwn(created, name)));
  const id = String(membersOf(await session.call(operationOf(kind, 'create').id, { body })).id);
  const rest = Object.entries(whole).filter(([name]) => !Object.hasOwn(created, name));
  if (rest.length > 0) {
    await session.call(operationOf(kind, 'updateById').id, { params: { id }, body: Object.fromEntries(rest) });
  }
  return { id, action: 'create' };
}

async function change(
  session: Session,
  kind: Kind,
  current: CurrentRecord,
  values: Values,
  names: readonly string[],
): Promise<{ id: string; action: PolicyAction }> {
  const update = async (some: readonly string[]) => {
    const body: { readonly [name: string]: Json } = changedValues(values, some, values.defaults);
    if (Object.keys(body).length === 0) return;
    await session.call(operationOf(kind, 'updateById').id, { params: { id: current.id }, body });
  };
  if (kind.rules.update !== undefined) {
    return { id: current.id, action: await kind.rules.update(current, values, names, session, update) };
  }
  await update(names);
  return { id: current.id, action: 'update' };
}

async function remove(state: State, object: TenantObject): Promise<PolicyChange | null> {
  const { session } = state;
  const lost = object.kind.rules.losesData?.(object, null) ?? null;
  if (lost !== null && !session.allowDataLoss) {
    fail(state, object, '', `${lost.message}; allow it by allowDataLoss (--allow-data-loss)`);
    return null;
  }
  await setSavepoint(session.tx);
  const mark = markAudit(session.tx);
  try {
    const fields = (await object.kind.rules.beforeDelete?.(object, session)) ?? [];
    await session.call(operationOf(object.kind, 'deleteById').id, { params: { id: object.id } });
    await releaseSavepoint(session.tx);
    return changeOf('delete', object, fields);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await backToSavepoint(session.tx);
    forgetAuditSince(session.tx, mark);
    refusedBy(state, object, error);
    return null;
  }
}
