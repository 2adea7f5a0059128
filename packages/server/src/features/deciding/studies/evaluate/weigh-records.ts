import type { EvaluationSpec } from '@arbiter/contract';
import { type AskExternal, type Plan, u, unpackResult, type Weighed, weigh } from '@arbiter/engine';
import { type collectLog, folds } from '@arbiter/lab';
import type { ItemResponse, PastContact } from '../../interactions/index.ts';
import type { CompiledFlow } from '../../plans/index.ts';
import { reachesBack } from '../records/history-reach.ts';
import { createInputFor } from '../records/input-for.ts';
import { contactsBelow } from '../records/past-contacts.ts';
import type { ReadRecord, WholeRecord } from '../records/record-reader.ts';
import { inputOf } from '../records/recorded-input.ts';
import { type EvaluationTally, exclude } from './evaluation-tally.ts';
import { rewardOf } from './rewards.ts';
import { differs, loggedChances, placeRows, recordedItems } from './weighed-places.ts';

export interface Weighing {
  readonly spec: EvaluationSpec;
  readonly candidate: CompiledFlow;
  readonly rows: ReturnType<typeof collectLog>;
  readonly tally: EvaluationTally;
  /** Start of complete history, epoch ms. */
  readonly historyFrom: number;
  /** Share of the decisions whose recorded plan is weighed too. */
  readonly checkedShare: number;
  /** Seed that picks these decisions. */
  readonly specHash: string;
}

/** Facts about a decision that its record doesn't have. */
export interface DecisionFacts {
  readonly responses: readonly ItemResponse[];
  /** All contacts of the customer; null: it wasn't read, because the candidate counts nothing new. */
  readonly history: readonly PastContact[] | null;
}

export type RecordWeigher = (read: ReadRecord, facts: DecisionFacts) => void;

/** Returns a function that adds a record to the log of an evaluation, or counts why it can't. */
export function createRecordWeigher(weighing: Weighing): RecordWeigher {
  const { candidate, tally, rows, spec } = weighing;
  const inputFor = createInputFor(candidate);
  return (read, { responses, history }) => {
    if (read.problem !== null) return exclude(tally, read.problem);
    const { whole } = read;
    const { record, packed, flow } = whole;
    const result = unpackResult(whole.result, flow.refs);
    if (result.controlGroup === true) {
      tally.controlGroup += 1;
      return;
    }
    const seq = record.customerSeq === null ? null : Number(record.customerSeq);
    const contacts = () =>
      seq === null || history === null || !reachesBack(candidate.plan, packed.n, weighing.historyFrom)
        ? null
        : contactsBelow(history, seq);
    const own = inputFor(whole, { contacts, countsAll: false });
    if (own.problem === 'state_missing') noteNewModels(tally, candidate.plan, whole);
    if (own.problem !== null) return exclude(tally, own.problem, own.lacking);
    const slate = recordedItems(result);
    const { items } = slate;
    const external = { isMissing: false };
    const ask: AskExternal = () => {
      external.isMissing = true;
    };
    const drawn = weigh(candidate.plan, own.input, slate, { ask });
    if (external.isMissing) return exclude(tally, 'external_missing');
    const isChecked = packed.w === undefined && u(`weigh:${weighing.specHash}:${record.id}`) < weighing.checkedShare;
    const isEstimated = items.some((item) => item.estimated);
    const needsLive = isChecked || isEstimated || drawsOrders(flow.plan);
    const live = needsLive ? weigh(flow.plan, inputOf(whole), slate) : null;
    if (drawn.unknown !== null || (live?.unknown ?? null) !== null) return exclude(tally, 'chance_unknown');
    if (isChecked && live !== null) check(tally, items, live);
    const chances = loggedChances(items, live);
    if (chances === null) return exclude(tally, 'chance_unknown');
    if (isEstimated || drawn.places.some(({ method }) => method !== 'exact')) tally.estimated += 1;
    tally.exploreRates += exploreRateOf(flow.plan);
    const rewards = items.map(({ rank }) =>
      rewardOf(
        spec,
        responses.filter((each) => each.rank === rank),
        packed.n,
      ),
    );
    rows.add({
      customer: record.customerRef,
      fold: Math.floor(u(`fold:${record.customerRef}`) * folds),
      segments: segmentBits(spec, whole),
      places: placeRows(items, chances, rewards, drawn, isChecked ? live : null),
    });
  };
}

function noteNewModels({ newModels }: EvaluationTally, { models }: Plan, { packed }: WholeRecord): void {
  for (const { id, key, hasState } of models) {
    if (hasState && !Object.hasOwn(packed.m ?? {}, key) && !newModels.includes(id)) newModels.push(id);
  }
}

function check(tally: EvaluationTally, items: Parameters<typeof differs>[0], live: Weighed): void {
  tally.checked += 1;
  if (differs(items, live)) tally.mismatches += 1;
}

/** True when the recorded chances may not be those of the places: an order was drawn, or a hook rearranged it. */
const drawsOrders = ({ flow }: Plan): boolean =>
  flow.config.nodes.some(({ type, config }) => type === 'group' || config?.hook === 'post_rank');

function exploreRateOf({ flow }: Plan): number {
  const explore = flow.config.flowConfig?.explore;
  return explore !== null && typeof explore === 'object' && 'rate' in explore && typeof explore.rate === 'number'
    ? explore.rate
    : 0;
}

function segmentBits({ segmentIds }: EvaluationSpec, { packed }: WholeRecord): number {
  const own = new Set((packed.g ?? []).map((id) => id.toLowerCase()));
  return segmentIds.reduce((bits, id, at) => (own.has(id) ? bits | (1 << at) : bits), 0);
}
