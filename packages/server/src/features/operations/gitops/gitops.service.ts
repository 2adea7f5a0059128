import type { PolicyChange, PolicyDrift, PolicyExport, PolicyPlan, PolicyPlanBody } from '@arbiter/contract';
import { type Database, lockCatalogueVersion, readCatalogueVersion, type Tx } from '../../../db/index.ts';
import type { OperationHandlers } from '../../../http/binding/call-inside.ts';
import type { AnyHandler, RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadLargeYaml } from '../../../platform/read-yaml.ts';
import { mapInTurns } from '../../../platform/turns.ts';
import { auditedSince, recordAudit } from '../../identity/audit/index.ts';
import { carryOut, isRefusal } from './carry-out.ts';
import {
  blocksDecisions,
  changeOf,
  deletable,
  type ForeseenOutcome,
  foreseen,
  type RequestedWork,
  surplus,
} from './foreseen.ts';
import { lockApplies, selectApplied, upsertApplied } from './gitops.store.ts';
import { fieldChanges, type Members, sameJson } from './json.ts';
import { type JudgedFiles, judgeFiles, maximumErrors, missingNames, placeOf, refuseFiles } from './judge.ts';
import { hashOf, refKey, settingsPath, shownRef } from './layout.ts';
import { openSession, type Session } from './session.ts';
import { settingsPatch, settingsRef, settingsType, settingsValues, shortSettings } from './settings-file.ts';
import { filesOf, readTenant, type TenantFiles, textOf } from './tenant-files.ts';
import { changedNames } from './wanted-values.ts';

/** What this feature needs from outside: the operations of all others. */
export interface GitopsPorts {
  readonly database: Database;
  readonly operationHandlers: OperationHandlers;
  /** Replaces an operation inside this work: without its own transaction, or with more rights than callers have. */
  readonly handlersInside: ReadonlyMap<string, AnyHandler>;
  readonly readLargeYaml: ReadLargeYaml;
}

/** A catalogue of thousands of objects takes time, and the caller accepts that. */
const workMs = 300_000;
const statementMs = 120_000;
/** How often a lost race runs before the caller gets the error. */
const maximumTries = 3;

const optionsOf = ({ requestId }: RequestFacts) => ({
  requestId,
  statementTimeoutMs: statementMs,
  until: performance.now() + workMs,
});

/** The tenant as files, as of one instant. */
export async function exportFiles(ports: GitopsPorts, facts: RequestFacts): Promise<PolicyExport> {
  const work = async (tx: Tx) => {
    const session = await openSession(tx, facts, ports, { allowDataLoss: false });
    const files = await filesOf(await readTenant(session));
    return { files, configVersion: await readCatalogueVersion(tx), hash: hashOf(files) };
  };
  return ports.database.withTenant(facts.tenantId, facts.actor, work, { ...optionsOf(facts), snapshot: true });
}

/** Carries the plan out of a transaction that is rolled back. */
class Undo extends Error {
  readonly plan: PolicyPlan;

  constructor(plan: PolicyPlan) {
    super('undone');
    this.plan = plan;
  }
}

/** Returns what the files would change: does everything and rolls back, unless that would make decisions wait. */
export async function planFiles(ports: GitopsPorts, facts: RequestFacts, body: PolicyPlanBody): Promise<PolicyPlan> {
  const { database } = ports;
  const work = async (tx: Tx): Promise<PolicyPlan> => {
    const session = await openSession(tx, facts, ports, { allowDataLoss: body.allowDataLoss === true });
    const version = await expectedVersion(tx, body);
    const tenant = await readTenant(session);
    const { judged, work: asked } = await judgeWork(session, tenant, body);
    if (blocksDecisions(tenant, asked)) {
      const outcome = await foreseen(session, tenant, asked);
      refuseFiles(outcome.errors);
      const note = { path: '', message: 'table columns change; further problems may only be reported by apply' };
      return await planOf(tenant, judged, asked, { ...outcome, warnings: [...outcome.warnings, note] }, version);
    }
    const { outcome, errors } = await carryOutAll(session, tenant, judged, asked);
    refuseFiles(errors);
    throw new Undo(await planOf(tenant, judged, asked, outcome, version));
  };
  return withTries(body.expectedConfigVersion !== undefined, async () => {
    try {
      return await database.withTenant(facts.tenantId, facts.actor, work, optionsOf(facts));
    } catch (error) {
      if (error instanceof Undo) return error.plan;
      throw error;
    }
  });
}

/**
 * Makes the tenant match the files, in one transaction. Throws 409 `concurrent_modification` when the catalogue isn't
 * at the expected version, or changes in the meantime; without an expected version the work restarts.
 */
export async function applyFiles(ports: GitopsPorts, facts: RequestFacts, body: PolicyPlanBody): Promise<PolicyPlan> {
  const { database } = ports;
  const work = async (tx: Tx): Promise<PolicyPlan> => {
    await lockApplies(tx);
    const session = await openSession(tx, facts, ports, { allowDataLoss: body.allowDataLoss === true });
    const version = await expectedVersion(tx, body);
    const tenant = await readTenant(session);
    const { judged, work: asked } = await judgeWork(session, tenant, body);
    const { outcome, errors } = await carryOutAll(session, tenant, judged, asked);
    refuseFiles(errors);
    const plan = await planOf(tenant, judged, asked, outcome, version);
    await keepApplied(session, judged, outcome, plan);
    // Registered last, so that the audit chain is locked before the version, as in every other change.
    tx.beforeCommit(async () => {
      if ((await lockCatalogueVersion(tx)) !== version) throw changedMeanwhile();
    });
    return plan;
  };
  let configVersion = 0;
  const onCatalogueVersion = (told: number): void => {
    configVersion = told;
  };
  const options = { ...optionsOf(facts), onCatalogueVersion };
  const plan = await withTries(body.expectedConfigVersion !== undefined, () =>
    database.withTenant(facts.tenantId, facts.actor, work, options),
  );
  return { ...plan, configVersion };
}

/** Runs again what lost a race; not where the caller expects a version, which has passed then. */
export async function withTries<T>(expectsVersion: boolean, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'concurrent_modification';
      const isFinal = expectsVersion && error instanceof AppError && error.cause === undefined;
      if (!isLost || isFinal || tries === maximumTries) throw error;
    }
  }
}

const changedMeanwhile = (): AppError =>
  new AppError('concurrent_modification', { detail: 'The catalogue has changed in the meantime. Plan again.' });

async function expectedVersion(tx: Tx, { expectedConfigVersion }: PolicyPlanBody): Promise<number> {
  const version = await readCatalogueVersion(tx);
  if (expectedConfigVersion === undefined || expectedConfigVersion === version) return version;
  throw new AppError('concurrent_modification', {
    detail: `The catalogue is at version ${version}, not ${expectedConfigVersion}. Plan again.`,
    errors: [
      { path: '/expectedConfigVersion', message: `is ${expectedConfigVersion}, but the catalogue is at ${version}` },
    ],
  });
}

/** Throws 400 for files that are invalid on their own, or name what doesn't exist. */
async function judgeWork(
  session: Session,
  tenant: TenantFiles,
  body: PolicyPlanBody,
): Promise<{ judged: JudgedFiles; work: RequestedWork }> {
  const judged = await judgeFiles(session, body.files);
  const { objects } = judged;
  const prune = body.prune === true;
  const inFiles = new Set([...objects.values()].map(({ kind, ref }) => refKey(kind.entityType, ref)));
  // A file that is wrong may be the one that is named.
  if (judged.errors.length > 0) refuseFiles(judged.errors);
  refuseFiles(
    missingNames(judged.names, (entityType, ref) => {
      const key = refKey(entityType, ref);
      return inFiles.has(key) || (!prune && tenant.directory.ids.has(key));
    }),
  );
  return { judged, work: { wanted: objects, prune, secrets: body.secrets ?? {} } };
}

/** Returns the wanted settings; null: no change. */
function settingsWanted(tenant: TenantFiles, judged: JudgedFiles, { prune }: RequestedWork): Members | null {
  const wanted = judged.settings ?? (prune ? {} : null);
  return wanted === null || sameJson(wanted, tenant.settings) ? null : wanted;
}

/**
 * Applies the objects, then the settings. But settings that enable something come first, because objects may need it,
 * and profiles that they no longer name are released first, because they may be deleted.
 */
export async function carryOutAll(session: Session, tenant: TenantFiles, judged: JudgedFiles, work: RequestedWork) {
  const wanted = settingsWanted(tenant, judged, work);
  if (wanted !== null && tenant.settings[content] === false && wanted[content] === undefined) {
    await session.call('tenantSettings.update', { body: { [content]: true } });
  }
  if (wanted !== null && tenant.settings[profile] !== undefined && wanted[profile] !== tenant.settings[profile]) {
    await session.call('tenantSettings.update', { body: { [profile]: null } });
  }
  const outcome = await carryOut(session, tenant, work);
  const settings = await carryOutSettings(session, tenant, judged, work);
  return { outcome, errors: [...outcome.errors, ...settings] };
}

const content = 'enableContentManagement';
const profile = 'defaultArbitrationProfileId';

async function carryOutSettings(session: Session, tenant: TenantFiles, judged: JudgedFiles, work: RequestedWork) {
  const wanted = settingsWanted(tenant, judged, work);
  if (wanted === null) return [];
  const body = settingsPatch(
    settingsValues(tenant.settings, tenant.directory),
    settingsValues(wanted, tenant.directory),
  );
  try {
    await session.call('tenantSettings.update', { body });
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { code, errors, detail = error.message } = error;
    const entries = errors.length === 0 ? [{ path: '', message: detail }] : errors;
    return entries.map(({ path, message }) => ({ path: placeOf(settingsPath, path), message, code }));
  }
}

async function planOf(
  tenant: TenantFiles,
  judged: JudgedFiles,
  work: RequestedWork,
  outcome: ForeseenOutcome,
  configVersion: number,
): Promise<PolicyPlan> {
  const settings = settingsWanted(tenant, judged, work);
  const changes: PolicyChange[] = [...outcome.changes];
  if (settings !== null) changes.push(settingsChange(tenant.settings, settings));
  const count = (action: PolicyChange['action']) => changes.filter((change) => change.action === action).length;
  const notInFiles = work.prune
    ? []
    : surplus(tenant, work.wanted)
        .map(({ kind, ref, path }) => ({ type: kind.type, ref: shownRef(ref), path }))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
  const isSettingsLeft = !work.prune && judged.settings === null && Object.keys(tenant.settings).length > 0;
  const unnamed = tenant.warnings.filter(({ path }) => work.wanted.has(path));
  const unnamedErrors = unnamed.map(({ path, pointer, message }) => ({ path: placeOf(path, pointer), message }));
  const files = await canonicalFiles(judged);
  return {
    changes,
    notInFiles: isSettingsLeft
      ? [...notInFiles, { type: settingsType, ref: shownRef(settingsRef), path: settingsPath }]
      : notInFiles,
    warnings: [...unnamedErrors, ...outcome.warnings]
      .slice(0, maximumErrors)
      .map(({ path, message }) => ({ path, message })),
    summary: {
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      replace: count('replace'),
      await: count('await'),
      unchanged: outcome.unchanged + (judged.settings !== null && settings === null ? 1 : 0),
    },
    configVersion,
    hash: hashOf(files),
  };
}

function settingsChange(before: Members, after: Members): PolicyChange {
  const fields = fieldChanges(before, after);
  return { action: 'update', type: settingsType, ref: shownRef(settingsRef), path: settingsPath, fields };
}

async function canonicalFiles({ objects, settings }: JudgedFiles) {
  const files = await mapInTurns([...objects.values()], ({ path, body }) => ({ path, content: textOf(body) }));
  return settings === null ? files : [...files, { path: settingsPath, content: textOf(settings) }];
}

/** Stores what the tenant now has for these files, and records the apply in the audit log. */
async function keepApplied(
  session: Session,
  judged: JudgedFiles,
  outcome: ForeseenOutcome,
  plan: PolicyPlan,
): Promise<void> {
  const { tx } = session;
  const objects = [...judged.objects.keys()].flatMap((path) => outcome.after.get(path) ?? []);
  const files = await mapInTurns(objects, ({ path, body }) => ({ path, content: textOf(body) }));
  if (judged.settings !== null) files.push({ path: settingsPath, content: textOf(judged.settings) });
  const applyId = newId();
  await upsertApplied(tx, {
    applyId,
    appliedAt: tx.now,
    userId: tx.actor.id,
    userName: tx.actor.name,
    configVersion: plan.configVersion + (plan.changes.some(({ action }) => action !== 'await') ? 1 : 0),
    hash: plan.hash,
    files,
  });
  await recordAudit(tx, {
    action: 'apply',
    entityType: 'gitops',
    entityId: applyId,
    entityName: null,
    after: { hash: plan.hash, files: files.length, summary: plan.summary },
  });
}

/** Audit log rows to search for who changed what. */
const auditRowsRead = 20_000;
const peopleShown = 20;

/** Returns the drift from the files that were applied last, and who caused it. */
export async function tellDrift(ports: GitopsPorts, facts: RequestFacts): Promise<PolicyDrift> {
  const work = async (tx: Tx): Promise<PolicyDrift> => {
    const session = await openSession(tx, facts, ports, { allowDataLoss: false });
    const configVersion = await readCatalogueVersion(tx);
    const applied = await selectApplied(tx);
    if (applied === null) return { applied: null, changes: [], configVersion };
    const tenant = await readTenant(session);
    const judged = await judgeFiles(session, applied.files);
    const rows = await auditedSince(tx, 'gitops', applied.applyId, auditRowsRead);
    const byEntity = Map.groupBy(rows, ({ entityType, entityId }) => `${entityType} ${entityId}`);
    const since = (entityType: string, id: string) => byEntity.get(`${entityType} ${id}`) ?? [];
    const named = (list: typeof rows) =>
      list
        .slice(0, peopleShown)
        .map(({ userId, userName, action, timestamp }) => ({ userId, userName, action, timestamp }));
    const changes: PolicyDrift['changes'] = [];
    for (const object of judged.objects.values()) {
      const { kind, path, body } = object;
      const current = tenant.objects.get(path);
      if (current === undefined) {
        // Its id is unknown by now, but its name isn't.
        const own = rows.filter(
          ({ entityType, entityName, action }) =>
            entityType === kind.entityType && entityName === object.body.name && isRemoval(action),
        );
        changes.push({ ...changeOf('delete', object, fieldChanges(body, null)), by: named(own) });
        continue;
      }
      const names = changedNames(session, object, current);
      const fields = fieldChanges(body, current.body).filter(({ path: field }) => names.includes(field.split('.')[0]!));
      if (fields.length === 0) continue;
      changes.push({ ...changeOf('update', object, fields), by: named(since(kind.entityType, current.id)) });
    }
    for (const object of (await deletable(tenant, judged.objects)).reverse()) {
      const by = since(object.kind.entityType, object.id);
      // What existed before, in addition to the files, isn't drift.
      if (!by.some(({ action }) => action === 'create' || action === 'restore')) continue;
      changes.push({ ...changeOf('create', object, fieldChanges(null, object.body)), by: named(by) });
    }
    if (judged.settings !== null && !sameJson(judged.settings, tenant.settings)) {
      const change = settingsChange(shortSettings(judged.settings), tenant.settings);
      changes.push({ ...change, by: named(since('tenantSettings', tx.tenantId)) });
    }
    const { appliedAt, userId, userName, hash } = applied;
    return {
      applied: { at: appliedAt.toISOString(), userId, userName, configVersion: applied.configVersion, hash },
      changes,
      configVersion,
    };
  };
  return ports.database.withTenant(facts.tenantId, facts.actor, work, { ...optionsOf(facts), snapshot: true });
}

const isRemoval = (action: string): boolean => action === 'delete' || action === 'soft_delete';
