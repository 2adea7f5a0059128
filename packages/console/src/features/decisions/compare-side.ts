import { useMemo } from 'react';
import type { Failure } from '../../data/failure.ts';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import { middleCut } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import { useChannels, useSimulated } from './calls.ts';
import { type Explained, explainSimulated } from './explained.ts';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from './reading.ts';
import type { DecisionRecord } from './record.ts';
import { useDecision } from './use-decision.ts';
import { type Where, whereOf } from './where.ts';

/** One side of a comparison. */
export interface ComparedSide {
  readonly explained: Explained | null;
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

/** Loads one side of a comparison: a recorded decision by ID, or `now` and `draft` for the other side's customer and request. */
export function useComparedSide(id: string, other: ComparedSide | null): ComparedSide {
  const format = useFormat();
  const { nameOf } = useChannels();
  const isShow = other !== null && (id === 'now' || id === 'draft');
  const recorded = useDecision(id, id !== '' && !isShow);
  const customer = other?.record?.customerId ?? null;
  const flow = other?.record?.flow ?? null;
  const body =
    isShow && customer !== null && flow !== null && other?.explained != null
      ? {
          customerId: customer,
          decisionFlowKey: flow.key,
          ...(id === 'draft' ? { version: 'draft' as const } : {}),
          ...other.where,
          limit: Math.max(1, other.explained.shown.length),
        }
      : null;
  const shown = useSimulated(body);
  const answer: JsonObject | null = isShow && isObject(shown.data) ? shown.data : null;
  const simulated = useMemo(() => (answer === null ? null : explainSimulated(answer)), [answer]);
  const record = isShow ? null : (recorded.record.data ?? null);
  const channelOf = (explained: Explained | null, source: JsonObject | null): string | null =>
    nameOf.get(textOf(source?.channelId) ?? explained?.shown[0]?.channelId ?? textOf(source?.channel) ?? '') ??
    textOf(source?.channel);
  if (isShow) {
    const at = textOf(answer?.timestamp);
    const version = numberOf(answer?.decisionFlowVersion);
    return {
      explained: simulated,
      record: null,
      isErased: false,
      title: answer === null ? null : `${customer} · ${id === 'draft' ? t.nowDraft : t.nowLive}`,
      about: at === null ? '' : format.instant(at),
      to:
        customer === null
          ? null
          : addresses.simulate({
              customer,
              version: id === 'draft' ? 'draft' : undefined,
              channel: other?.where.channel,
              placement: other?.where.placement,
            }),
      facts: factsOf({
        customer: customer ?? '',
        at: at === null ? '' : format.instant(at),
        flow: t.flowVersion(textOf(answer?.decisionFlowKey), version),
        channel: channelOf(simulated, answer) ?? t.noChannel,
        config: String(numberOf(objectOf(answer?.freshness).configVersion) ?? ''),
        plan: '',
        engine: '',
        source: t.now,
      }),
      where: {},
      failure: shown.failure,
      refresh: shown.refresh,
    };
  }
  const channel = channelOf(recorded.explained, recorded.trace);
  return {
    explained: recorded.explained,
    record,
    isErased: record?.inputsState === 'erased',
    title: record === null ? null : (record.customerId ?? t.erased),
    about:
      record === null
        ? ''
        : [format.instant(record.decidedAt), channel, recorded.explained?.shown[0]?.offerName ?? null]
            .filter((part) => part !== null)
            .join(' · '),
    to: record === null ? null : addresses.decision(record.recommendationId),
    facts:
      record === null
        ? []
        : factsOf({
            customer: record.customerId ?? t.erased,
            at: format.instant(record.decidedAt),
            flow: t.flowVersion(record.flow.key, record.flow.version),
            channel: channel ?? t.noChannel,
            config: String(record.configVersion),
            plan: middleCut(record.planHash),
            engine: record.engineVersion,
            source: t.sources[record.source] ?? record.source,
          }),
    where: whereOf(recorded.trace ?? objectOf(record?.result)),
    failure: recorded.record.failure,
    refresh: recorded.record.refresh,
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
