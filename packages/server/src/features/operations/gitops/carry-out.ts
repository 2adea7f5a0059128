import type { ErrorEntry, PolicyAction, PolicyChange } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { mapInTurns, takeTurns } from '../../../platform/turns.ts';
import { forgetAssemblySince, markAssembly } from '../../catalogue/flows/index.ts';
import { forgetAuditSince, markAudit } from '../../identity/audit/index.ts';
import {
  changeOf,
  deletable,
  entryAt,
  type ForeseenOutcome,
  heldBack,
  needsAmong,
  type RequestedWork,
} from './foreseen.ts';
import { backToSavepoint, releaseSavepoint, setLockWait, setSavepoint } from './gitops.store.ts';
import { fieldChanges, membersOf, valueAt } from './json.ts';
import { maximumErrors, type WantedObject } from './judge.ts';
import { createProperties, type FileKind, operationOf } from './kinds.ts';
import { toldRef } from './layout.ts';
import { inOrder } from './order.ts';
import { changedValues } from './rules/flows.ts';
import type { CurrentRecord } from './rules/kind-rules.ts';
import type { Session } from './session.ts';
import { readObject, type TenantFiles, type TenantObject } from './tenant-files.ts';
import { changedNames, valuesOf, type WantedValues } from './wanted-values.ts';

interface CarryOutState {
  readonly session: Session;
  readonly tenant: TenantFiles;
  readonly work: RequestedWork;
  readonly current: Map<string, TenantObject>;
  readonly before: ReadonlyMap<string, TenantObject>;
  readonly actions: Map<string, PolicyAction>;
  readonly errors: ErrorEntry[];
  readonly warnings: ErrorEntry[];
  /** Paths of objects that couldn't be written. Objects that name them aren't reported. */
  readonly failed: Set<string>;
}

/**
 * Applies the work through the API's operations: creations and changes in reference order, deletions in reverse.
 * Continues after an error, so that all errors are reported; the caller rolls back when there is one.
 */
export async function carryOut(session: Session, tenant: TenantFiles, work: RequestedWork): Promise<ForeseenOutcome> {
  const state: CarryOutState = {
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
  const ordered = await inOrder(work.wanted, needsAmong(work.wanted));
  const again: WantedObject[] = [];
  // An object that stays as it is waits for nothing.
  const turns = takeTurns();
  for (const object of ordered) {
    const pause = turns();
    if (pause !== undefined) await pause;
    if (!(await write(state, object, true))) again.push(object);
  }
  // Objects that name a later record, or take a name that another had.
  const last: WantedObject[] = [];
  for (const object of again) if (!(await write(state, object, work.prune))) last.push(object);
  const deleted: PolicyChange[] = [];
  for (const object of work.prune ? await deletable(tenant, work.wanted) : []) {
    const change = await remove(state, object);
    if (change !== null) deleted.push(change);
  }
  for (const object of last) await write(state, object, false);
  return outcomeOf(state, ordered, deleted);
}

async function outcomeOf(
  state: CarryOutState,
  ordered: readonly WantedObject[],
  deleted: readonly PolicyChange[],
): Promise<ForeseenOutcome> {
  const { actions, before, current, errors, warnings } = state;
  const changesByObject = await mapInTurns(ordered, ({ path, body }) => {
    const [was, is, action] = [before.get(path), current.get(path), actions.get(path)];
    if (is === undefined || action === undefined) return [];
    // What waits is unchanged: it shows what the approval will change.
    const changed = action === 'await' ? fieldChanges(is.body, body) : fieldChanges(was?.body ?? null, is.body);
    return [changeOf(action, is, changed)];
  });
  const changes = changesByObject.flat();
  const failed = [...ordered].filter(({ path }) => state.failed.has(path)).length;
  return {
    changes: [...changes, ...deleted],
    unchanged: ordered.length - changes.length - failed,
    errors: errors.slice(0, maximumErrors),
    warnings,
    after: current,
  };
}

/** False: retry later, because something doesn't exist yet. `mayWait`: there is a later. */
async function write(state: CarryOutState, object: WantedObject, mayWait: boolean): Promise<boolean> {
  const { session, work, tenant } = state;
  const current = state.current.get(object.path) ?? null;
  const names = current === null ? [] : changedNames(session, object, current);
  if (current !== null && names.length === 0) return true;
  const values = valuesOf(session, object, current, tenant.directory, work.secrets);
  const problems = [...values.problems, ...unchangeable(object.kind, current, names)];
  const lost = current === null ? null : (object.kind.rules.losesData?.(current, object.body) ?? null);
  if (lost !== null && !session.allowDataLoss) {
    problems.push(heldBack(lost));
  }
  if (problems.length > 0) {
    for (const { pointer, message, code } of problems) fail(state, object, pointer, message, code);
    return true;
  }
  // A record that failed is not there; its own error is enough.
  if (values.early.size > 0 && needsFailed(state, object)) {
    state.failed.add(object.path);
    return true;
  }
  if (values.early.size > 0 && !mayWait) {
    for (const name of values.early)
      fail(state, object, `/${name}`, 'forms a cycle: the record refers back to this one');
    return true;
  }
  if ([...values.early].some((name) => isMandatory(object.kind, name))) return false;
  const isWhole = values.early.size === 0;
  const result = await attempt(state, object, current, mayWait, () =>
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
  if (result === 'again' && current !== null) {
    const additions = object.kind.rules.additions?.(current, values) ?? null;
    const early = additions === null ? null : { ...values, ...additions };
    if (early !== null) {
      await attempt(state, object, current, true, () => change(session, object.kind, current, early, names));
    }
  }
  return result === 'failed' || (result === 'done' && isWhole);
}

const needsFailed = (state: CarryOutState, object: WantedObject): boolean =>
  needsAmong(state.work.wanted)(object, object.path).some((path) => state.failed.has(path));

/** True for a property that names a record and is never null: without it the record can't be written. */
function isMandatory({ resource }: FileKind, name: string): boolean {
  const schema: unknown = resource.record.properties[name];
  return typeof schema === 'object' && schema !== null && Reflect.get(schema, 'type') === 'string';
}

const withoutEarly = (values: WantedValues): WantedValues => ({
  ...values,
  body: Object.fromEntries(Object.entries(values.body).filter(([name]) => !values.early.has(name))),
  values: Object.fromEntries(Object.entries(values.values).filter(([name]) => !values.early.has(name))),
});

function fail(
  state: CarryOutState,
  { path }: { readonly path: string },
  pointer: string,
  message: string,
  code?: string,
): void {
  state.failed.add(path);
  state.errors.push(entryAt(path, pointer, message, code));
}

function unchangeable(
  kind: FileKind,
  current: TenantObject | null,
  names: readonly string[],
): { readonly pointer: string; readonly message: string; readonly code?: string }[] {
  if (current === null) return [];
  const able = new Set([...Object.keys(kind.resource.changes), ...(kind.rules.changes ?? [])]);
  return names
    .filter((name) => !able.has(name))
    .map((name) => ({ pointer: `/${name}`, message: `can't be changed; delete the ${kind.noun} first` }));
}

/** A table change waits for its lock only briefly. What follows may wait as long as before. */
async function waitAsBefore({ tx, lockWait }: Session, { rules }: FileKind): Promise<void> {
  if (rules.blocks !== undefined) await setLockWait(tx, lockWait);
}

interface Notes {
  readonly audit: number;
  readonly assembly: number;
}

/** What the transaction has noted so far for its end. */
const markNotes = (tx: Tx): Notes => ({ audit: markAudit(tx), assembly: markAssembly(tx) });

/** Discards later notes, because they were rolled back to a savepoint. */
function forgetNotesSince(tx: Tx, { audit, assembly }: Notes): void {
  forgetAuditSince(tx, audit);
  forgetAssemblySince(tx, assembly);
}

const later: ReadonlySet<string> = new Set(['duplicate_name', 'duplicate_key', 'in_use']);

/** Tries a write inside a savepoint; a write without effect is rolled back with its audit rows. */
async function attempt(
  state: CarryOutState,
  object: WantedObject,
  current: TenantObject | null,
  mayWait: boolean,
  run: () => Promise<{ readonly id: string; readonly action: PolicyAction }>,
): Promise<'done' | 'failed' | 'again'> {
  const { session, tenant } = state;
  const mark = markNotes(session.tx);
  const remarks = session.tx.remarks.length;
  await setSavepoint(session.tx);
  try {
    const { id, action } = await run();
    await waitAsBefore(session, object.kind);
    const after = await readObject(session, object.kind, id, tenant.directory);
    if (after === null || after.path !== object.path) {
      const actual = after === null ? 'nothing' : toldRef(after.ref);
      throw new AppError('validation_failed', {
        detail: `${object.path} is stored as ${actual}.`,
        errors: [{ path: `/${object.kind.naming}`, message: `is stored as ${actual}; use that form` }],
      });
    }
    if (current !== null && action !== 'await' && fieldChanges(current.body, after.body).length === 0) {
      await backToSavepoint(session.tx);
      forgetNotesSince(session.tx, mark);
    } else {
      await releaseSavepoint(session.tx);
      state.current.set(object.path, after);
      note(state, object.path, action);
    }
    const remark = object.kind.rules.remark?.(after.record) ?? null;
    if (remark !== null) state.warnings.push(entryAt(object.path, '', remark));
    for (const { path, nearest, reason } of session.tx.remarks.splice(remarks)) {
      const meant = nearest === null ? '' : `; did you mean ${nearest}?`;
      const pointer = object.kind.rules.toPointer?.(path) ?? path;
      state.warnings.push(entryAt(object.path, pointer, reason ?? `has no effect${meant}`));
    }
    return 'done';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await backToSavepoint(session.tx);
    forgetNotesSince(session.tx, mark);
    session.tx.remarks.splice(remarks);
    // The current holder of the name may lose it by a later write or deletion, and what names a column may change.
    if (mayWait && later.has(error.code)) return 'again';
    refusedBy(state, object, error);
    return 'failed';
  }
}

/** A creation that is finished by a later change stays a creation. */
function note(state: CarryOutState, path: string, action: PolicyAction): void {
  if (!state.before.has(path)) state.actions.set(path, 'create');
  else if (state.actions.get(path) !== 'replace') state.actions.set(path, action);
}

/** Returns true for a service's rejection, not for a server fault or a database race. */
export function isRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.status >= 500) return false;
  return error.code !== 'concurrent_modification' || error.cause === undefined;
}

/** An id in a file is one that named nothing when the file was written (docs/design/api-settled.md 24). */
function aboutIds(body: Json, pointer: string): string {
  const value = valueAt(body, pointer);
  return typeof value === 'string' && isUuid(value)
    ? '; the record with this ID was deleted or belongs to another tenant; use an existing one, or remove it'
    : '';
}

function refusedBy(state: CarryOutState, object: WantedObject | TenantObject, error: AppError): void {
  const { code } = error;
  const toFile = (pointer: string) => object.kind.rules.toPointer?.(pointer) ?? pointer;
  if (error.errors.length === 0) fail(state, object, '', error.detail ?? error.message, code);
  for (const entry of error.errors) {
    const pointer = entry.path.startsWith('/') ? toFile(entry.path) : '';
    fail(state, object, pointer, `${entry.message}${aboutIds(object.body, pointer)}`, entry.code ?? code);
  }
}

async function make(
  session: Session,
  { kind }: WantedObject,
  values: WantedValues,
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
  kind: FileKind,
  current: CurrentRecord,
  values: WantedValues,
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

async function remove(state: CarryOutState, object: TenantObject): Promise<PolicyChange | null> {
  const { session } = state;
  const lost = object.kind.rules.losesData?.(object, null) ?? null;
  if (lost !== null && !session.allowDataLoss) {
    fail(state, object, '', heldBack(lost).message);
    return null;
  }
  await setSavepoint(session.tx);
  const mark = markNotes(session.tx);
  try {
    const fields = (await object.kind.rules.beforeDelete?.(object, session)) ?? [];
    await session.call(operationOf(object.kind, 'deleteById').id, { params: { id: object.id } });
    await waitAsBefore(session, object.kind);
    await releaseSavepoint(session.tx);
    return changeOf('delete', object, fields);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await backToSavepoint(session.tx);
    forgetNotesSince(session.tx, mark);
    refusedBy(state, object, error);
    return null;
  }
}
