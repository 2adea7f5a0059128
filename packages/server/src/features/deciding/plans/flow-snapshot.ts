import type { Plan, Snapshot } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { offerStatusesOf, type RunnableFlow } from '../../catalogue/flows/index.ts';
import { selectSoldOut } from '../../catalogue/offers/index.ts';
import { readContent } from './catalogue-content.ts';
import { readRows } from './catalogue-rows.ts';
import { compileFlow } from './compile-flow.ts';
import { headOf, snapshotOf } from './plan-head.ts';

/** The hash of a plan that isn't stored. */
const noHash = Buffer.alloc(32);

/**
 * Reads what a flow's plan is compiled from, as the transaction sees it, and compiles it. For looking at it only: decides
 * nothing and stores nothing.
 */
export async function readFlowSnapshot(
  tx: Tx,
  flow: RunnableFlow,
): Promise<{ readonly snapshot: Snapshot; readonly plan: Plan; readonly soldOut: readonly string[] }> {
  const content = await readContent(tx, null);
  const statuses = offerStatusesOf(flow);
  const hasAll = statuses.every((status) => content.wanted.statuses.includes(status));
  const rows = hasAll ? content.rows : await readRows(tx, { ...content.wanted, statuses }, null);
  const snapshot = snapshotOf(content, headOf(content, flow), rows);
  const { plan } = await compileFlow(snapshot, noHash);
  return { snapshot, plan, soldOut: plan.tracksStock ? await selectSoldOut(tx) : [] };
}
