import type { JourneyNode, JourneyStep } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { matches } from '../event-conditions/index.ts';
import { defaultResultKey, resultKeyOf } from './definition.rules.ts';
import { effectKey } from './effect-key.ts';
import type { EnrollmentRow } from './enrollments.store.ts';
import type { DecidedItem, JourneyDecision } from './journey-ports.ts';

/** A message that a journey sends. */
export interface JourneyMessage {
  readonly customerId: string;
  readonly channelId: string;
  readonly journeyId: string;
  readonly item: DecidedItem;
  readonly recommendationId: string | null;
  /** The same for every repetition: the message is queued once. */
  readonly effectKey: string;
  /** How many triggers and journeys led here, one causing the next. */
  readonly depth: number;
}

/** What nodes do outside of journeys, in the step's transaction. */
export interface NodeEffects {
  /** Queues a message. Returns the id of its delivery. */
  deliver(tx: Tx, message: JourneyMessage): Promise<string>;
  /** Sets columns of the customer's row. Throws 400 for values that the schema rejects. */
  setAttributes(
    tx: Tx,
    schemaId: string,
    customerId: string,
    set: Readonly<Record<string, unknown>>,
    depth: number,
  ): Promise<void>;
}

export interface NodeResult {
  readonly result: JourneyStep['result'];
  readonly detail: JourneyStep['detail'];
  /** The results from here on. Default: as before. */
  readonly results?: EnrollmentRow['results'];
  /** Which edge of a split to take. */
  readonly when?: boolean;
  /** How the enrollment ends here. */
  readonly end?: { readonly status: 'completed'; readonly reason: string | null };
}

export interface NodeRun {
  readonly enrollment: Pick<
    EnrollmentRow,
    'id' | 'journeyId' | 'customerId' | 'visit' | 'context' | 'results' | 'isWoken' | 'depth'
  >;
  readonly node: JourneyNode;
  /** Of an nba_decision. */
  readonly decision: JourneyDecision | null;
}

/** Does what a node does, in the step's transaction. */
export async function runNode(tx: Tx, effects: NodeEffects, run: NodeRun): Promise<NodeResult> {
  const { enrollment, node } = run;
  switch (node.type) {
    case 'entry_trigger':
      return { result: 'entered', detail: null };
    case 'wait':
      return { result: enrollment.isWoken ? 'resumed' : 'elapsed', detail: null };
    case 'nba_decision':
      return storeDecision(run, node);
    case 'condition_split': {
      const when = await matches(tx, node.config.condition, {
        customerId: enrollment.customerId,
        data: enrollment.context,
        results: enrollment.results,
      });
      return { result: when ? 'matched' : 'not_matched', detail: null, when };
    }
    case 'channel_action':
      return send(tx, effects, run, node);
    case 'update_attribute':
      await effects.setAttributes(
        tx,
        node.config.schemaId,
        enrollment.customerId,
        node.config.set,
        enrollment.depth + 1,
      );
      return { result: 'updated', detail: null };
    case 'exit':
      return { result: 'exited', detail: null, end: { status: 'completed', reason: node.config.reason ?? null } };
  }
}

function storeDecision(
  { enrollment, decision }: NodeRun,
  node: Extract<JourneyNode, { type: 'nba_decision' }>,
): NodeResult {
  if (decision === null) throw new Error('a decision is made before its step');
  const { recommendationId, items } = decision;
  return {
    result: 'decided',
    detail: { recommendationId, offerIds: items.map(({ offerId }) => offerId) },
    results: { ...enrollment.results, [resultKeyOf(node)]: { recommendationId, items } },
  };
}

async function send(
  tx: Tx,
  effects: NodeEffects,
  { enrollment, node }: NodeRun,
  { config }: Extract<JourneyNode, { type: 'channel_action' }>,
): Promise<NodeResult> {
  const decision = enrollment.results[config.from ?? defaultResultKey];
  // The path may have passed no decision.
  const { recommendationId, items } = decision ?? { recommendationId: null, items: [] };
  const { customerId, journeyId } = enrollment;
  const depth = enrollment.depth + 1;
  const deliveryIds: string[] = [];
  for (const item of items) {
    // An item decided for another channel has no content for this one.
    if (item.channelId !== null && item.channelId !== config.channelId) continue;
    const key = effectKey(enrollment, `${node.id} ${item.rank}`);
    const { channelId } = config;
    deliveryIds.push(
      await effects.deliver(tx, { customerId, channelId, journeyId, item, recommendationId, effectKey: key, depth }),
    );
  }
  return deliveryIds.length === 0
    ? { result: 'nothing_to_send', detail: null }
    : { result: 'queued', detail: { deliveryIds } };
}
