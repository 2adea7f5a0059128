import type { AssemblyChange, AssemblyRun, Pagination } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import {
  type CatalogueChange,
  findRecord,
  getRecord,
  isDeleted,
  rejectCursor,
  updateRecord,
} from '../catalogue-records/index.ts';
import { readAssemblyOffers } from '../offers/index.ts';
import { type AssemblyOffer, assemble } from './assembly.rules.ts';
import { type AssemblyRunRow, appendRuns, countRuns, selectAssembledFlows, selectRuns } from './assembly.store.ts';
import { type DecisionFlowRow, flowSpec } from './flows.store.ts';

const pending = new WeakMap<Tx, CatalogueChange[]>();

/**
 * Notes a change that flows may have to follow (port `TellChange`). Auto-assembly runs when the transaction's work is done,
 * once for all that it changed.
 */
export function noteForAssembly(tx: Tx, change: CatalogueChange): void {
  const known = pending.get(tx);
  if (known !== undefined) {
    known.push(change);
    return;
  }
  const changes = [change];
  pending.set(tx, changes);
  tx.atEnd(() => assembleFlows(tx, changes));
}

/** Returns how many changes the transaction has noted so far, for `forgetAssemblySince`. */
export const markAssembly = (tx: Tx): number => pending.get(tx)?.length ?? 0;

/** Discards changes noted since the mark, because they were rolled back to a savepoint. */
export function forgetAssemblySince(tx: Tx, mark: number): void {
  pending.get(tx)?.splice(mark);
}

const assembler = systemActor('auto-assembly');
const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Runs once: every active flow with `autoAssembly`, with a log row for each. */
async function assembleFlows(tx: Tx, noted: readonly CatalogueChange[]): Promise<void> {
  if (noted.length === 0) return;
  const flows = await selectAssembledFlows(tx);
  if (flows.length === 0) return;
  const offers = await readAssemblyOffers(tx, [...new Set(noted.map(({ offerId }) => offerId))]);
  const single = singleOf(noted);
  const rows: AssemblyRunRow[] = [];
  for (const flow of flows) {
    const run = await assembleFlow(tx, flow, offers);
    if (run !== null) rows.push({ id: newId(), flowId: flow.id, ...single, ...run, createdAt: tx.now });
  }
  if (rows.length > 0) await appendRuns(tx, rows);
}

/** The cause in the log: the change, or `bulk` for changes of several records. */
function singleOf([first, ...others]: readonly CatalogueChange[]): Pick<
  AssemblyRunRow,
  'trigger' | 'entityType' | 'entityId'
> {
  if (first === undefined || others.some(({ entityId }) => entityId !== first.entityId)) {
    return { trigger: 'bulk', entityType: null, entityId: null };
  }
  const { trigger, entityType, entityId } = first;
  return { trigger, entityType, entityId };
}

/**
 * Checks the draft as read. Only locks a draft that must change, and checks it again, because someone else may have
 * changed it. `updatedAt` doesn't change, because it determines which flow runs without a default
 * (docs/design/api-decisioning.md 5).
 */
async function assembleFlow(
  tx: Tx,
  { id, draftConfig }: Pick<DecisionFlowRow, 'id' | 'draftConfig'>,
  offers: readonly AssemblyOffer[],
): Promise<{ readonly changes: AssemblyChange[]; readonly applied: boolean } | null> {
  const seen = assemble(draftConfig, offers, bytesOf);
  if (seen.changes.length === 0) return { changes: [], applied: false };
  const current = await findRecord(tx, flowSpec, id, 'change');
  // By now the flow may no longer qualify.
  if (current === null || isDeleted(current) || current.status !== 'active' || !current.autoAssembly) return null;
  const { draft, changes, fits } = assemble(current.draftConfig, offers, bytesOf);
  if (changes.length === 0 || !fits) return { changes: [...changes], applied: false };
  const change = () => ({ draftConfig: draft });
  await updateRecord(tx, flowSpec, id, { actor: assembler, keepsUpdatedAt: true, change });
  return { changes: [...changes], applied: true };
}

/** Returns one page of a flow's log, newest first. Throws 404 for a missing or deleted flow, 400 `invalid_cursor`. */
export async function readAssemblyLog(
  tx: Tx,
  flowId: string,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ data: AssemblyRun[]; pagination: Pagination }> {
  const flow = await getRecord(tx, flowSpec, flowId);
  const before = page.cursor;
  if (before !== null && !isUuid(before)) rejectCursor();
  const { total, hasId } = await countRuns(tx, flow.id, before);
  if (before !== null && !hasId) rejectCursor();
  const found = await selectRuns(tx, flow.id, before, page.limit + 1);
  const { rows, pagination } = pageOf({ rows: found, limit: page.limit, total, cursorOf: ({ id }) => id });
  return { data: rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })), pagination };
}
