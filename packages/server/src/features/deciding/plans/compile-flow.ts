import { compileInSlices, joinedSources, planRefs, type Snapshot } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { inTurns } from '../../../platform/turns.ts';
import { policyMarksOf } from './catalogue-overlay.ts';
import { readPlanContent } from './plan-pieces.ts';
import type { CompiledFlow } from './tenant-catalogue.ts';

/** Compiles a snapshot whose offers and creatives are sorted by id. */
export async function compileFlow(snapshot: Snapshot, hash: Buffer): Promise<CompiledFlow> {
  const neverStore = new Set(snapshot.tenant.neverStore);
  for (const schema of snapshot.schemas) {
    for (const column of schema.columns) if (column.neverStore) neverStore.add(column.name);
  }
  const figures = joinedSources(snapshot, null).flatMap(({ values }) => values);
  const hidden = figures.filter(({ column }) => column !== null && neverStore.has(column));
  for (const { name } of hidden) neverStore.add(name);
  const plan = await inTurns(compileInSlices(snapshot));
  const comparedWith = new Map(
    snapshot.rules.flatMap(({ id, config: { valueFrom } }) =>
      typeof valueFrom === 'string' ? [[id, valueFrom] as const] : [],
    ),
  );
  return {
    plan,
    hash,
    neverStore,
    comparedWith,
    refs: planRefs(snapshot, plan.ordinals),
    outcomePolicyMarks: () => policyMarksOf(snapshot.policies),
  };
}

/**
 * Recently opened plans, by content hash. Held weakly: a plan of thousands of offers takes tens of megabytes, and may
 * never be needed again.
 */
const opened = new Map<string, WeakRef<CompiledFlow>>();

/**
 * Returns the plan that a record names. Throws AppError `record_corrupt` when its content is missing or has another
 * hash.
 */
export async function openPlan(tx: Tx, hash: Buffer): Promise<CompiledFlow> {
  const name = `${tx.tenantId} ${hash.toString('hex')}`;
  const known = opened.get(name)?.deref();
  if (known !== undefined) return known;
  const flow = await compileFlow(await readPlanContent(tx, hash), hash);
  for (const [key, held] of opened) if (held.deref() === undefined) opened.delete(key);
  opened.set(name, new WeakRef(flow));
  return flow;
}
