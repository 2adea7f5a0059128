import type { JourneyNode, JourneyStep } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import { graphOf } from './definition.rules.ts';
import { contextProblem } from './enrollments.rules.ts';
import { entryMatches } from './enrollments.service.ts';
import type { EnrollmentRow } from './enrollments.store.ts';
import type { DecideForJourney } from './journey-ports.ts';
import { journeySpec } from './journeys.store.ts';
import { type NodeEffects, runNode } from './nodes.service.ts';

export interface TryPorts {
  /** Decides and stores nothing. */
  readonly simulateForJourney: DecideForJourney;
}

/** For whom a journey is tried. */
export interface JourneyTrial {
  readonly tenantId: string;
  readonly journeyId: string;
  readonly customerId: string;
  readonly context: Readonly<Record<string, unknown>>;
}

type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

type TriedEnrollment = Pick<
  EnrollmentRow,
  'id' | 'journeyId' | 'customerId' | 'visit' | 'context' | 'results' | 'isWoken' | 'depth'
>;

/** Effects that only look as if they happened. */
const noEffects: NodeEffects = { deliver: async () => newId(), setAttributes: async () => undefined };

/**
 * Walks through a journey for a customer and stores nothing: decisions are simulated, waits end at once, and nothing is
 * sent. Stops when it comes to a node for the second time. Throws 404, and 409 for a flow that can't run.
 */
export async function tryJourney({ simulateForJourney }: TryPorts, inTransaction: InTransaction, trial: JourneyTrial) {
  const { tenantId, customerId, context } = trial;
  const problem = contextProblem(context);
  if (problem !== null) throw invalid('/context', problem);
  const { journey, enrolls } = await inTransaction(async (tx) => {
    const row = await getRecord(tx, journeySpec, trial.journeyId);
    return { journey: row, enrolls: await entryMatches(tx, row, { customerId, data: context }) };
  });
  if (!enrolls) return { enrolls, reason: "The customer doesn't match entryCondition.", path: [], context };
  const graph = graphOf(journey.definition);
  const path: JourneyStep[] = [];
  let enrollment: TriedEnrollment = {
    ...{ id: newId(), journeyId: journey.id, customerId, visit: 1, context, results: {}, isWoken: false, depth: 0 },
  };
  const seen = new Set<string>();
  let reason: string | null = null;
  for (let node = graph.entry as JourneyNode | undefined; node !== undefined && !seen.has(node.id); ) {
    seen.add(node.id);
    const decision =
      node.type === 'nba_decision'
        ? await simulateForJourney({
            ...{ tenantId, customerId, sourceId: journey.id, requestId: newId() },
            ...{ decisionFlowKey: node.config.decisionFlowKey, limit: node.config.limit ?? 1 },
            ...{ channel: node.config.channel, channelId: node.config.channelId, placement: node.config.placement },
          })
        : null;
    const run = { enrollment, node, decision };
    const { result, detail, results, when, end } = await inTransaction((tx) => runNode(tx, noEffects, run));
    path.push({ nodeId: node.id, type: node.type, result, detail: withoutIds(node, detail) });
    enrollment = { ...enrollment, results: results ?? enrollment.results, visit: enrollment.visit + 1 };
    if (end !== undefined) reason = end.reason;
    const next = end === undefined ? graph.next(node.id, when) : null;
    if (next !== null && seen.has(next)) reason = `comes back to ${next}`;
    node = next === null ? undefined : graph.nodes.get(next);
  }
  return { enrolls, reason, path, context: { ...context, ...enrollment.results } };
}

/** Ids of deliveries that don't exist mean nothing. */
const withoutIds = (node: JourneyNode, detail: JourneyStep['detail']): JourneyStep['detail'] =>
  node.type === 'channel_action' ? null : detail;
