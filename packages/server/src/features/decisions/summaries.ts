import type { StreamEvent } from './outbox.store.ts';

/** What one or more interactions of a customer add to a day's summary (api-access.md 16). */
export interface SummaryDelta {
  readonly customerId: string;
  /** Local day `YYYY-MM-DD` in the tenant's zone. */
  readonly day: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly direction: string;
  impressions: number;
  positive: number;
  negative: number;
  neutral: number;
  converts: number;
  totalValue: number;
  /** Epoch ms; null without contact or outcome. */
  lastContactAt: number | null;
  lastOutcomeKey: string | null;
  lastOutcomeAt: number | null;
}

interface Interaction {
  readonly customerId: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly direction: string;
  readonly outcomeKey: string;
  readonly classification: string;
  readonly isConversion: boolean;
  readonly value: number;
  readonly at: number;
}

/** Folds events into one delta per customer, day, offer, creative, channel and direction; order does not matter. */
export function rollUp(events: readonly StreamEvent[], dayOf: (epochMs: number) => string): SummaryDelta[] {
  const deltas = new Map<string, SummaryDelta>();
  for (const event of events) {
    for (const interaction of interactionsOf(event)) {
      const day = dayOf(interaction.at);
      const { customerId, offerId, creativeId, channelId, direction } = interaction;
      const key = `${customerId}\n${day} ${offerId} ${creativeId} ${channelId} ${direction}`;
      let delta = deltas.get(key);
      if (!delta) {
        delta = { customerId, day, offerId, creativeId, channelId, direction, ...zero };
        deltas.set(key, delta);
      }
      add(delta, interaction);
    }
  }
  return [...deltas.values()];
}

const zero = {
  impressions: 0,
  positive: 0,
  negative: 0,
  neutral: 0,
  converts: 0,
  totalValue: 0,
  lastContactAt: null,
  lastOutcomeKey: null,
  lastOutcomeAt: null,
};

function add(delta: SummaryDelta, interaction: Interaction): void {
  if (interaction.outcomeKey === 'impression') {
    delta.impressions += 1;
    delta.lastContactAt = Math.max(delta.lastContactAt ?? 0, interaction.at);
    return;
  }
  if (interaction.classification === 'positive') delta.positive += 1;
  else if (interaction.classification === 'negative') delta.negative += 1;
  else delta.neutral += 1;
  if (interaction.isConversion) delta.converts += 1;
  delta.totalValue += interaction.value;
  if (delta.lastOutcomeAt === null || interaction.at >= delta.lastOutcomeAt) {
    delta.lastOutcomeAt = interaction.at;
    delta.lastOutcomeKey = interaction.outcomeKey;
  }
}

/** The countable interactions inside an event: impressions of a decision, or one recorded interaction. */
function interactionsOf(event: StreamEvent): Interaction[] {
  const p = event.payload;
  if (event.type === 'decision.made.v1') {
    const at = Date.parse(event.timestamp);
    return (p.items as DecisionEventItem[])
      .filter((item) => item.impression)
      .map((item) => ({
        customerId: p.customerId as string,
        offerId: item.offerId,
        creativeId: item.creativeId,
        channelId: item.channelId,
        direction: 'outbound',
        outcomeKey: 'impression',
        classification: 'neutral',
        isConversion: false,
        value: 0,
        at,
      }));
  }
  if (event.type !== 'interaction.recorded.v1' || p.offerId === null) return [];
  return [
    {
      customerId: p.customerId as string,
      offerId: p.offerId as string,
      creativeId: p.creativeId as string | null,
      channelId: p.channelId as string | null,
      direction: p.direction as string,
      outcomeKey: p.outcomeTypeKey as string,
      classification: p.classification as string,
      isConversion: p.isConversion as boolean,
      value: (p.conversionValue as number | null) ?? 0,
      at: Date.parse(p.timestamp as string),
    },
  ];
}

interface DecisionEventItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly impression: boolean;
}
