import { type OverlayChange, overlayKinds } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { asJson, isObject } from '../../../platform/json.ts';
import type { GitopsPorts } from './gitops.service.ts';
import { carryOutAll, withTries } from './gitops.service.ts';
import { type Members, membersOf } from './json.ts';
import { judgeFiles, missingNames } from './judge.ts';
import { kindAt, operationOf } from './kinds.ts';
import { pathOf, type Ref, refKey, settingsPath } from './layout.ts';
import { openSession, type Session } from './session.ts';
import { settingsType } from './settings-file.ts';
import { readTenant, type TenantFiles, textOf } from './tenant-files.ts';

/** Carries a result out of a transaction that is rolled back. */
class RolledBack<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('rolled back');
    this.result = result;
  }
}

const statementMs = 30_000;

/**
 * Makes the changes by their operations, does the work in the same transaction, and rolls back: nothing is stored and no
 * event is sent, so the caller may do it with any role. Throws 422 `overlay_invalid` with paths below `/overlay`.
 */
export async function withOverlay<Result>(
  ports: GitopsPorts,
  facts: RequestFacts,
  overlay: readonly OverlayChange[],
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const asAdmin: RequestFacts = { ...facts, role: 'admin' };
  const inside = async (tx: Tx): Promise<never> => {
    const session = await openSession(tx, asAdmin, ports, { allowDataLoss: false });
    await applyOverlay(session, overlay);
    throw new RolledBack(await work(tx));
  };
  // One snapshot, so that the work sees one version of the catalogue with the overlay, even while someone changes it.
  const options = {
    ...{ requestId: facts.requestId, statementTimeoutMs: statementMs, until: facts.until },
    snapshot: 'writable',
  } as const;
  return withTries(false, async () => {
    try {
      return await ports.database.withTenant(facts.tenantId, facts.actor, inside, options);
    } catch (error) {
      if (error instanceof RolledBack) return error.result as Result;
      throw error;
    }
  });
}

interface OverlayProblem {
  readonly path: string;
  readonly message: string;
}

function refuse(problems: readonly OverlayProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('overlay_invalid', { detail: `${first.path} ${first.message}`, errors: problems.slice(0, 50) });
}

async function applyOverlay(session: Session, overlay: readonly OverlayChange[]): Promise<void> {
  const tenant = await readTenant(session);
  const { bodies, places, removals, problems } = patched(tenant, overlay);
  refuse(problems);
  const files = [...bodies].map(([path, body]) => ({ path, content: textOf(body) }));
  const judged = await judgeFiles(session, files);
  const withOverlayPaths = (entries: readonly OverlayProblem[]): OverlayProblem[] =>
    entries.map(({ path, message }) => ({ path: overlayPath(path, places), message }));
  refuse(withOverlayPaths(judged.errors));
  const known = new Set([...judged.objects.values()].map(({ kind, ref }) => refKey(kind.entityType, ref)));
  const has = (entityType: string, ref: Ref): boolean =>
    known.has(refKey(entityType, ref)) || tenant.directory.ids.has(refKey(entityType, ref));
  refuse(withOverlayPaths(missingNames(judged.names, has)));
  const { outcome, errors } = await carryOutAll(session, tenant, judged, {
    wanted: judged.objects,
    prune: false,
    secrets: {},
  });
  refuse(withOverlayPaths(errors));
  const waiting = outcome.changes.filter(({ action }) => action === 'await');
  refuse(withOverlayPaths(waiting.map(({ path }) => ({ path, message: "needs approval, so it can't be tried" }))));
  for (const { at, kind, id } of removals) await remove(session, at, kind, id);
}

async function remove(session: Session, at: number, type: string, id: string): Promise<void> {
  try {
    await session.call(operationOf(kindAt(type)!, 'deleteById').id, { params: { id } });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    refuse([{ path: `/overlay/${at}`, message: `can't be deleted: ${error.detail ?? error.message}` }]);
  }
}

interface PatchedFiles {
  readonly bodies: ReadonlyMap<string, Members>;
  /** Positions in the overlay, by file. */
  readonly places: ReadonlyMap<string, number>;
  readonly removals: readonly { readonly at: number; readonly kind: string; readonly id: string }[];
  readonly problems: readonly OverlayProblem[];
}

function patched(tenant: TenantFiles, overlay: readonly OverlayChange[]): PatchedFiles {
  const bodies = new Map<string, Members>();
  const places = new Map<string, number>();
  const removals: { at: number; kind: string; id: string }[] = [];
  const problems: OverlayProblem[] = [];
  for (const [at, { kind, key, patch: given, replace = false }] of overlay.entries()) {
    const patch = asJson(given);
    const path = pathFor(kind, key);
    if (path === null) {
      problems.push({ path: `/overlay/${at}/kind`, message: `must be one of ${overlayKinds.join(', ')}` });
      continue;
    }
    const current = kind === settingsType ? tenant.settings : tenant.objects.get(path)?.body;
    const before = bodies.get(path) ?? current;
    const id = tenant.objects.get(path)?.id;
    if (patch === null && id !== undefined) removals.push({ at, kind, id });
    else if (patch === null)
      problems.push({ path: `/overlay/${at}/key`, message: "refers to an object that doesn't exist" });
    else if (!isObject(patch)) problems.push({ path: `/overlay/${at}/patch`, message: 'must be an object or null' });
    else if (before === undefined && Object.keys(patch).length === 0) {
      problems.push({ path: `/overlay/${at}/key`, message: "refers to an object that doesn't exist" });
    } else {
      bodies.set(path, membersOf(replace ? patch : mergePatch(before ?? named(kind, key), patch)));
      places.set(path, at);
    }
  }
  return { bodies, places, removals, problems };
}

/** A new object is called by its key. */
function named(type: string, key: OverlayChange['key']): Members {
  const own = typeof key === 'string' ? key : key.at(-1)!;
  return { [kindAt(type)?.naming ?? 'name']: own };
}

function pathFor(type: string, key: OverlayChange['key']): string | null {
  if (type === settingsType) return settingsPath;
  const [first, ...rest] = typeof key === 'string' ? [key] : key;
  const kind = kindAt(type);
  return kind === null || first === undefined ? null : pathOf(kind, [first, ...rest]);
}

/** A JSON merge patch (RFC 7386). */
function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(membersOf(target)) : []);
  for (const [name, value] of Object.entries(membersOf(patch))) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name) ?? {}, value));
  }
  return Object.fromEntries(merged);
}

/** `<file>#<pointer>` as the place in the overlay. */
function overlayPath(place: string, places: ReadonlyMap<string, number>): string {
  const [file = '', pointer = ''] = place.split('#');
  const at = places.get(file);
  return at === undefined ? '/overlay' : `/overlay/${at}/patch${pointer}`;
}
