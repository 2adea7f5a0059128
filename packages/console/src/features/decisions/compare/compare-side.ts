import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import type { SimulatedAnswer, SimulateRequest } from '@arbiter/contract/deciding/simulations';
import { type ExplainedDecision, explainAnswer } from '@arbiter/contract/explanation/explain';
import { useMemo } from 'react';
import type { Failure } from '../../../data/failure.ts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { type Format, middleCut } from '../../../ui/format.ts';
import { useFormat } from '../../../ui/provider.tsx';
import { useChannels, useDecision, useSimulated } from '../calls.ts';
import { type Where, whereOf } from './where.ts';

/** One side of a comparison. */
export interface ComparedSide {
  readonly explanation: ExplainedDecision | null;
  /** The record; null for a simulation. */
  readonly record: DecisionRecord | null;
  readonly isErased: boolean;
  /** Null while loading. */
  readonly title: string | null;
  readonly about: string;
  /** Its explorer; null for a simulation. */
  readonly to: string | null;
  /** Details by name, the same names on both sides. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly where: Where;
  readonly failure: Failure | null;
  readonly refresh: () => void;
}

type SideData = Omit<ComparedSide, 'failure' | 'refresh'>;
type SimulatedVersion = 'now' | 'draft';

/** Writes values of a side. */
interface SideFormat {
  readonly format: Format;
  /** Returns the name of the channel of a decision; null without one. */
  readonly channelOf: (explanation: ExplainedDecision | null) => string | null;
}

/** Loads one side of a comparison: a recorded decision by ID, or `now` and `draft` for the other side's customer and request. */
export function useComparedSide(id: string, other: ComparedSide | null): ComparedSide {
  const format = useFormat();
  const { nameOf } = useChannels();
  const version = other !== null && (id === 'now' || id === 'draft') ? id : null;
  const recorded = useDecision(id, id !== '' && version === null);
  const simulated = useSimulated(other === null || version === null ? null : simulationBeside(other, version));
  const { data: answer = null } = simulated;
  const simulation = useMemo(() => (answer === null ? null : explainAnswer(answer)), [answer]);
  const channelOf: SideFormat['channelOf'] = (explanation) => {
    const { channel = null, channelId = null, items: [first] = [] } = explanation ?? {};
    return nameOf.get(channelId ?? first?.channelId ?? channel ?? '') ?? channel;
  };
  if (other !== null && version !== null) {
    const side = simulatedSide(version, other, answer, simulation, { format, channelOf });
    return { ...side, failure: simulated.failure, refresh: simulated.refresh };
  }
  const { record, explanation } = recorded;
  const side = recordedSide(record.data ?? null, explanation, { format, channelOf });
  return { ...side, failure: record.failure, refresh: record.refresh };
}

/** Returns the simulation to compare a record with; null while the record loads, and for an erased customer. */
function simulationBeside(other: ComparedSide, version: SimulatedVersion): SimulateRequest | null {
  const { record, explanation, where } = other;
  if (record === null || record.customerId === null || explanation === null) return null;
  return {
    customerId: record.customerId,
    decisionFlowKey: record.flow.key,
    ...(version === 'draft' ? { version } : {}),
    ...where,
    limit: Math.max(1, explanation.items.length),
  };
}

function simulatedSide(
  version: SimulatedVersion,
  other: ComparedSide,
  answer: SimulatedAnswer | null,
  explanation: ExplainedDecision | null,
  { format, channelOf }: SideFormat,
): SideData {
  const customer = other.record?.customerId ?? null;
  const at = answer === null ? '' : format.instant(answer.timestamp);
  return {
    explanation,
    record: null,
    isErased: false,
    title: answer === null ? null : `${customer} · ${version === 'draft' ? t.nowDraft : t.nowLive}`,
    about: at,
    to: customer === null ? null : simulationAddress(customer, version, other.where),
    facts: factsOf({
      customer: customer ?? '',
      at,
      flow: t.flowVersion(answer?.decisionFlowKey ?? null, answer?.decisionFlowVersion ?? null),
      channel: channelOf(explanation) ?? t.noChannel,
      config: String(answer?.freshness.configVersion ?? ''),
      plan: '',
      engine: '',
      source: t.now,
    }),
    where: {},
  };
}

const simulationAddress = (customer: string, version: SimulatedVersion, { channel, placement }: Where): string =>
  addresses.simulate({ customer, version: version === 'draft' ? 'draft' : undefined, channel, placement });

function recordedSide(
  record: DecisionRecord | null,
  explanation: ExplainedDecision | null,
  { format, channelOf }: SideFormat,
): SideData {
  const where = whereOf(explanation);
  if (record === null) {
    return { explanation, record, isErased: false, title: null, about: '', to: null, facts: [], where };
  }
  const channel = channelOf(explanation);
  const customer = record.customerId ?? t.erased;
  const at = format.instant(record.decidedAt);
  return {
    explanation,
    record,
    isErased: record.inputsState === 'erased',
    title: customer,
    about: [at, channel, explanation?.items[0]?.offerName ?? null].filter((part) => part !== null).join(' · '),
    to: addresses.decision(record.recommendationId),
    facts: factsOf({
      ...{ customer, at },
      flow: t.flowVersion(record.flow.key, record.flow.version),
      channel: channel ?? t.noChannel,
      config: String(record.configVersion),
      plan: middleCut(record.planHash),
      engine: record.engineVersion,
      source: t.sources[record.source] ?? record.source,
    }),
    where,
  };
}

interface Facts {
  readonly customer: string;
  readonly at: string;
  readonly flow: string;
  readonly channel: string;
  readonly config: string;
  readonly plan: string;
  readonly engine: string;
  readonly source: string;
}

const factsOf = (facts: Facts): readonly (readonly [string, string])[] => [
  [t.facts.customer, facts.customer],
  [t.facts.decidedAt, facts.at],
  [t.facts.source, facts.source],
  [t.facts.channel, facts.channel],
  [t.facts.flow, facts.flow],
  [t.facts.configVersion, facts.config],
  [t.facts.planHash, facts.plan],
  [t.facts.engine, facts.engine],
];
