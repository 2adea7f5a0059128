import { type JoinedSource, joinedSources, type Reads, readsBeside } from '@arbiter/engine';
import { inTurns } from '../../../platform/turns.ts';
import { offerStatusesOf, type RunnableFlow } from '../../catalogue/flows/index.ts';
import { modelsForPlan } from '../../catalogue/models/index.ts';
import { membershipReader } from '../../catalogue/segments/index.ts';
import type { CatalogueContent } from './catalogue-content.ts';
import { policyMarksOf, rowsWith, withPolicies } from './catalogue-overlay.ts';
import { compileFlow, openPlan } from './compile-flow.ts';
import { piecesOf } from './pieces-of-content.ts';
import { headOf, metricKeys, metricsFor, snapshotOf } from './plan-head.ts';
import { type Piece, type SealedPlan, sealPlan, storePlan } from './plan-pieces.ts';
import { ownReadSet, readSetNames, storeNames } from './read-set.ts';
import type { CatalogueOverlay, CompiledFlow, InTransaction, LiveFlow, TenantCatalogue } from './tenant-catalogue.ts';

/** The plans of a catalogue version's flows, compiled and stored when a flow is first used. */
export interface FlowPlans extends Pick<TenantCatalogue, 'compileOnce' | 'openOnce' | 'compileAhead' | 'logHorizonMs'> {
  /** A promise when the plan isn't compiled and stored yet. */
  planOf(flow: RunnableFlow): LiveFlow | Promise<LiveFlow>;
}

interface PlanAhead {
  readonly sealed: Promise<SealedPlan>;
  readonly flow: Promise<CompiledFlow>;
}

/** Maximum plans to compile in advance. Each of a large catalogue takes some megabytes. */
const maxAhead = 4;

/** Runs of campaigns keep a version while others already use the next. */
const nameOf = ({ id, version }: RunnableFlow): string => `${id}@${version}`;

/** The hash of a plan that isn't stored. */
const noHash = Buffer.alloc(32);

export function createFlowPlans(content: CatalogueContent, inTransaction: InTransaction): FlowPlans {
  const pieces = piecesOf(content);
  const store = planStore(content, pieces, inTransaction);
  const ready = new Map<string, LiveFlow>();
  const compiling = new Map<string, Promise<LiveFlow>>();
  /** Sealed and compiled, or about to be, and not stored yet. */
  const ahead = new Map<string, PlanAhead>();
  let horizonMs = 0;

  function begin(flow: RunnableFlow): PlanAhead {
    const name = nameOf(flow);
    const known = ahead.get(name);
    if (known !== undefined) return known;
    const head = headOf(content, flow);
    const snapshot = snapshotOf(content, head, content.rows);
    const sealed = sealPlan(head, pieces);
    const compilation = { sealed, flow: sealed.then(({ hash }) => compileFlow(snapshot, hash)) };
    ahead.set(name, compilation);
    // The next caller retries what failed. This caller gets the error.
    compilation.flow.catch(() => ahead.delete(name));
    return compilation;
  }

  async function prepare(flow: RunnableFlow): Promise<LiveFlow> {
    const live = await store(flow, begin(flow));
    ready.set(nameOf(flow), live);
    ahead.delete(nameOf(flow));
    horizonMs = Math.max(horizonMs, live.plan.logHorizonMs);
    return live;
  }

  return {
    planOf(flow) {
      const name = nameOf(flow);
      const live = ready.get(name);
      if (live !== undefined) return live;
      let work = compiling.get(name);
      if (work === undefined) {
        work = prepare(flow).finally(() => compiling.delete(name));
        compiling.set(name, work);
      }
      return work;
    },
    compileOnce: (flow, overlay) => compileOnce(content, flow, overlay, inTransaction),
    openOnce: async (hash) => previewOf(content, await inTransaction((tx) => openPlan(tx, hash))),
    async compileAhead() {
      for (const flow of content.flows.runnable().slice(0, maxAhead)) {
        if (!ready.has(nameOf(flow))) await begin(flow).flow;
      }
    },
    logHorizonMs: () => horizonMs,
  };
}

/** Returns a function that stores a plan and its read set, and completes the flow with what they read. */
function planStore(
  content: CatalogueContent,
  pieces: readonly Piece[],
  inTransaction: InTransaction,
): (flow: RunnableFlow, ahead: PlanAhead) => Promise<LiveFlow> {
  const { version, settings, lists, joins, models, segments, beside } = content;
  // Drafts may name any of them, so store what they read.
  const everyModel = modelsForPlan(
    models,
    models.map(({ key }) => key),
  );
  /** Computed with the first plan. */
  let tenantReads: Promise<Reads> | null = null;
  return async (flow, ahead) => {
    const sealed = await ahead.sealed;
    const [compiled, readSet] = await Promise.all([
      ahead.flow,
      inTransaction(async (tx) => {
        await storePlan(tx, sealed, pieces, version);
        const { plan, neverStore } = await ahead.flow;
        tenantReads ??= inTurns(
          readsBeside(
            { ...headOf(content, flow), ...lists, models: everyModel, ...metricsFor(content.metrics) },
            beside,
          ),
        );
        const reads = await tenantReads;
        const reading = {
          reads,
          recordReads: settings.recordReads,
          schemas: lists.schemas,
          joins,
          metrics: metricKeys(content),
          neverStore,
        };
        return storeNames(tx, readSetNames(plan, reading), version);
      }),
    ]);
    const membership = membershipReader(segments, compiled.plan.reads, readSet.segments);
    const joined = joins.length === 0 ? noJoins : joinedSources(lists, new Set(readSet.joined));
    return { ...compiled, readSet, joined, membership };
  };
}

const noJoins: readonly JoinedSource[] = [];

const nothingTried: CatalogueOverlay = { offerIds: [], policies: [] };

async function compileOnce(
  stored: CatalogueContent,
  flow: RunnableFlow,
  overlay: CatalogueOverlay = nothingTried,
  inTransaction: InTransaction,
): Promise<LiveFlow> {
  const content = withPolicies(stored, overlay);
  const { policies } = content;
  const rows = await rowsWith(content, offerStatusesOf(flow), overlay, inTransaction);
  const compiled = await compileFlow(snapshotOf(content, headOf(content, flow), rows), noHash);
  return previewOf(content, compiled, overlay.policies.length > 0 ? policyMarksOf(policies) : null);
}

/** A plan for previews, which store nothing beyond what it reads. `marks`: of other policies than the catalogue's. */
function previewOf(
  content: CatalogueContent,
  compiled: CompiledFlow,
  marks: TenantCatalogue['policyMarks'] | null = compiled.outcomePolicyMarks(),
): LiveFlow {
  const { plan } = compiled;
  const membership = membershipReader(content.segments, plan.reads, plan.reads.segments);
  const live = { ...compiled, readSet: ownReadSet(plan, metricKeys(content)), joined: plan.joinedSources, membership };
  return marks === null ? live : { ...live, policyMarks: marks };
}
