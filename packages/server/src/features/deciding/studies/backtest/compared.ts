import { canonicalJson, type Decision, type DecisionTrace, unpackResult } from '@arbiter/engine';
import type { DiffAnswer, DiffItem } from '@arbiter/lab';
import { asJson, isObject } from '../../../../platform/json.ts';
import type { WholeRecord } from '../records/record-reader.ts';

/** The answer of a decision made now. */
export const answerOf = ({ items, emptyReason, properties }: Decision): DiffAnswer => ({
  items: items.map((item) => ({
    offerId: item.offerId,
    creativeId: item.creativeId,
    channelId: item.channelId,
    placementId: item.placementId,
    mandatory: item.mandatory,
    score: item.score,
    propensity: item.scoreComponents.propensity,
    impact: item.scoreComponents.impact,
  })),
  emptyReason,
  properties: canonicalJson(properties),
});

/** The answer that was recorded. */
export function recordedAnswer({ result, flow }: WholeRecord): DiffAnswer {
  const { items, emptyReason, properties } = unpackResult(result, flow.refs);
  return {
    items: Array.isArray(items) ? items.map(itemOf) : [],
    emptyReason: typeof emptyReason === 'string' ? emptyReason : null,
    properties: canonicalJson(properties ?? {}),
  };
}

function itemOf(value: unknown): DiffItem {
  const item = isObject(value) ? value : {};
  const components = isObject(item.scoreComponents) ? item.scoreComponents : {};
  const text = (name: string): string | null => (typeof item[name] === 'string' ? item[name] : null);
  return {
    offerId: text('offerId') ?? '',
    creativeId: text('creativeId'),
    channelId: text('channelId'),
    placementId: text('placementId'),
    mandatory: item.mandatory === true,
    score: Number(item.score),
    propensity: Number(components.propensity),
    impact: Number(components.impact),
  };
}

/** Counts of dropped candidates, by gate. */
export type GateCounts = ReadonlyMap<string, GateCount>;

export interface GateCount {
  /** Stage, reason, node, rule and policy. */
  readonly words: readonly string[];
  readonly offers: readonly string[];
}

export function gatesOf(trace: DecisionTrace | null): GateCounts {
  const gates = new Map<string, { words: string[]; offers: string[] }>();
  for (const { stage, reason, nodeId, ruleId, policyId, offerId } of trace?.dropped ?? []) {
    const words = [stage, reason, nodeId ?? '', ruleId ?? '', policyId ?? ''];
    const name = words.join(' ');
    const gate = gates.get(name) ?? { words, offers: [] };
    gate.offers.push(offerId);
    gates.set(name, gate);
  }
  return gates;
}

export const jsonLine = (value: unknown): string => `${JSON.stringify(asJson(value))}\n`;
