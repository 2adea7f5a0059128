import type { PlacedNode } from '../compile/placed-nodes.ts';
import { webhookAnswer } from '../nodes/extension-answer.ts';
import { compileValue } from '../nodes/extension-value.ts';
import type { DropReason } from '../plan/drop-reason.ts';
import type { RemovingStage } from '../plan/empty-reason.ts';
import type { TakenItem, Walked } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { AfterRank } from '../plan/stages.ts';
import { recordDrop } from './close-stage.ts';

/** A hook's verdict on an item: its sort key, null to leave it in place, or drop. */
type Verdict = number | null | 'drop';

/** Stages that a plan's flow has behind rank: hooks post_rank, and calls in phase 3 of flows that cannot run. */
export function afterRankOf(nodes: readonly PlacedNode[]): readonly AfterRank[] {
  return nodes.flatMap(({ node, phase, calls }) => {
    if (node.type === 'extension_point' && node.config?.hook === 'post_rank') return [postRank(node)];
    const closed = phase === 3 && node.type === 'call_flow' && calls.get('call')?.flow === null;
    return closed ? [closedCall(node)] : [];
  });
}

function postRank(node: FlowNode): AfterRank {
  const { kind, onError } = node.config ?? {};
  const value = compileValue(node);
  const failed: Verdict = onError === 'drop' ? 'drop' : null;
  const verdictsOf = (run: Run, items: readonly RankedItem[]): ((item: TakenItem) => Verdict) | null => {
    if (value !== null) {
      const verdicts = new Map(
        items.map(({ item, rank }): [TakenItem, Verdict] => {
          const key = value.of(run, item.candidate, rank);
          return [item, typeof key === 'number' ? key : failed];
        }),
      );
      return (item) => verdicts.get(item) ?? null;
    }
    if (kind !== 'webhook' || items.length === 0) return null;
    const { score } = run.scratch.columns;
    const best = new Map<string, RankedItem>();
    for (const ranked of items) {
      const { id } = ranked.item.candidate.offer;
      if (!best.has(id)) best.set(id, ranked);
    }
    const answer = webhookAnswer(run, node, () =>
      [...best].map(([offerId, { item, rank }]) => ({ offerId, score: score[item.candidate.at]!, rank })),
    );
    if (answer === 'unasked') return null;
    if (answer === 'failed') return () => failed;
    return ({ candidate }) => {
      const entry = answer.get(candidate.offer.id);
      return entry === undefined ? null : entry.drop ? 'drop' : entry.score;
    };
  };
  return {
    type: 'extension_point',
    nodeId: node.id,
    run(run, walked) {
      const verdictOf = verdictsOf(run, normalItems(walked));
      if (verdictOf === null) return traced(run, 'extension_point', node.id, walked, walked);
      const sorted = reordered(walked, verdictOf);
      const { draws } = sorted;
      // Chance picked the items, but not their order or which of them left.
      return takeAway(run, 'extension_point', node.id, walked, {
        delivery: sorted.delivery.map((items) => items.map(estimated)),
        draws: draws === null ? null : draws.map(estimated),
      });
    },
  };
}

const estimated = <T extends { readonly pick: TakenItem['pick'] }>(item: T): T =>
  'mandatory' in item && item.mandatory === true ? item : { ...item, pick: { ...item.pick, estimated: true } };

/** An item with its place in the answer, from 1. */
interface RankedItem {
  readonly item: TakenItem;
  readonly rank: number;
}

const normalItems = ({ delivery }: Walked): readonly RankedItem[] =>
  delivery
    .flat()
    .map((item, at) => ({ item, rank: at + 1 }))
    .filter(({ item }) => !item.mandatory);

/** Largest key first among the places of those that have one; the others, and mandatory offers, keep theirs. */
function reordered({ delivery, draws }: Walked, verdictOf: (item: TakenItem) => Verdict): Walked {
  return {
    draws,
    delivery: delivery.map((items) => {
      const stay = items.filter((item) => item.mandatory || verdictOf(item) !== 'drop');
      const keyed = stay.flatMap((item) => {
        const key = item.mandatory ? null : verdictOf(item);
        return typeof key === 'number' ? [{ item, key }] : [];
      });
      const order = keyed.toSorted((a, b) => b.key - a.key).map(({ item }) => item);
      const moved = new Set(order);
      let next = 0;
      return stay.map((item) => (moved.has(item) ? order[next++]! : item));
    }),
  };
}

function closedCall({ id, config }: FlowNode): AfterRank {
  return {
    type: 'call_flow',
    nodeId: id,
    run(run, walked) {
      const delivery = walked.delivery.map((items) => items.filter(({ mandatory }) => mandatory));
      const detail = { flowKey: config?.flowKey ?? null };
      return takeAway(run, 'call_flow', id, walked, { ...walked, delivery }, 'sub_flow_unavailable', detail);
    },
  };
}

/** Records the items that are no longer in the answer. */
function takeAway(
  run: Run,
  type: RemovingStage,
  nodeId: string,
  before: Walked,
  after: Walked,
  reason: DropReason = 'extension_point',
  detail: NonNullable<TakenItem['candidate']['gate']>['detail'] = null,
): Walked {
  const left = new Set(after.delivery.flat().map(({ candidate }) => candidate));
  const offers = new Set([...left].map(({ offer }) => offer));
  const removed = new Set<object>();
  for (const [slot, items] of before.delivery.entries()) {
    for (const { candidate } of items) {
      if (left.has(candidate)) continue;
      candidate.taken = false;
      candidate.reason = reason;
      candidate.gate = detail === null ? null : { ruleId: null, policyId: null, detail };
      if (slot < run.slotRemover.length) run.slotRemover[slot] = type;
      if (offers.has(candidate.offer) || removed.has(candidate.offer)) continue;
      removed.add(candidate.offer);
      recordDrop(run, candidate, type, nodeId);
    }
  }
  if (removed.size > 0) run.lastRemover = type;
  return traced(run, type, nodeId, before, after, removed.size > 0 ? { [reason]: removed.size } : {});
}

function traced(
  run: Run,
  type: RemovingStage,
  nodeId: string,
  before: Walked,
  after: Walked,
  dropped: Readonly<Record<string, number>> = {},
): Walked {
  const count = ({ delivery }: Walked): number => new Set(delivery.flat().map(({ candidate }) => candidate.offer)).size;
  run.trace?.stage({
    stage: type,
    nodeId,
    candidates: count(before),
    passed: count(after),
    topScore: null,
    method: null,
    dropped,
    warnings: [],
  });
  return after;
}
