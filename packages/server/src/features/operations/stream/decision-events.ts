import { canonicalJson, type DecisionItem } from '@arbiter/engine';

/**
 * How the outbox stores the events of a batch of decisions: what they share appears once, and ids of offers, creatives
 * and channels are positions in the batch's lanes. `eventsOf` restores the events, the same bytes each time.
 */

/** One decision, as its event describes it. */
export interface DecisionMade {
  readonly id: string;
  readonly requestId: string;
  readonly customerId: string;
  readonly decisionFlowKey: string;
  readonly configVersion: number;
  /** As requested. */
  readonly channel: string | null;
  readonly placement: string | null;
  readonly items: readonly EventItem[];
}

type EventItem = Pick<DecisionItem, 'offerId' | 'creativeId' | 'channelId' | 'rank' | 'score' | 'effect'> & {
  readonly selection: Pick<DecisionItem['selection'], 'probability'>;
};

/** What a batch showed, by lane; reservations don't count as impressions. Arrays of the same length. */
export interface Lanes {
  readonly offerIds: readonly string[];
  readonly creativeIds: readonly (string | null)[];
  readonly channelIds: readonly (string | null)[];
  readonly impressions: readonly number[];
}

/** The events of a batch, gathered until its commit. */
export interface DecisionEvents {
  add(decision: DecisionMade): void;
  /** What the outbox stores of them. */
  readonly packed: () => { readonly events: string; readonly lanes: Lanes };
}

interface Lane {
  readonly place: number;
  readonly creativeId: string | null;
  readonly channelId: string | null;
}

/** Form of a packed event, its first element; readers know every form that was ever written. */
const form = 1;

export function createDecisionEvents(): DecisionEvents {
  const lanes = {
    offerIds: [] as string[],
    creativeIds: [] as (string | null)[],
    channelIds: [] as (string | null)[],
    impressions: [] as number[],
  };
  // By offer first: the plan already has its id as a string, so looking it up creates no new one.
  const byOffer = new Map<string, Lane[]>();
  let text = '';

  function placeOf(offerId: string, creativeId: string | null, channelId: string | null): number {
    let own = byOffer.get(offerId);
    if (own === undefined) {
      own = [];
      byOffer.set(offerId, own);
    }
    for (const lane of own) if (lane.creativeId === creativeId && lane.channelId === channelId) return lane.place;
    const place = lanes.offerIds.push(offerId) - 1;
    lanes.creativeIds.push(creativeId);
    lanes.channelIds.push(channelId);
    lanes.impressions.push(0);
    own.push({ place, creativeId, channelId });
    return place;
  }

  const sharedTexts = new Map<string | null, string>();
  /** JSON of what most decisions of a batch have in common. */
  function shared(value: string | null): string {
    let known = sharedTexts.get(value);
    if (known === undefined) {
      known = JSON.stringify(value);
      sharedTexts.set(value, known);
    }
    return known;
  }

  return {
    add(decision) {
      let items = '';
      for (let i = 0; i < decision.items.length; i++) {
        const { offerId, creativeId, channelId, rank, score, selection, effect } = decision.items[i]!;
        const place = placeOf(offerId, creativeId, channelId);
        const isShown = effect === 'impress';
        if (isShown) lanes.impressions[place]! += 1;
        items += `${i === 0 ? '' : ','}${place},${isShown ? rank : -rank},${score},${selection.probability}`;
      }
      const { id, requestId } = decision;
      text +=
        `${text === '' ? '' : ','}[${form},"${id}",${requestId === id ? 0 : `"${requestId}"`},` +
        `${JSON.stringify(decision.customerId)},${shared(decision.decisionFlowKey)},${decision.configVersion},` +
        `${shared(decision.channel)},${shared(decision.placement)},[${items}]]`;
    },
    packed: () => ({ events: `[${text}]`, lanes }),
  };
}

type PackedDecision = readonly [
  form: number,
  id: string,
  /** 0: the decision's. */
  requestId: string | 0,
  customerId: string,
  flowKey: string,
  configVersion: number,
  channel: string | null,
  placement: string | null,
  /** Per item: its lane's position, rank (negative: reserved), score, probability. */
  items: readonly number[],
];

/** A row of the outbox, as it is stored. */
export interface OutboxEvents {
  readonly tenantId: string;
  readonly events: string;
  readonly offerIds: readonly string[];
  readonly creativeIds: readonly (string | null)[];
  /** One that applies to all, or one per lane. */
  readonly channelIds: readonly (string | null)[];
  readonly createdAt: Date;
}

/**
 * Returns the events of an outbox row as JSON texts, in order; null for one about an erased customer. Throws for an
 * unknown format.
 */
export function eventsOf(row: OutboxEvents): (string | null)[] {
  // Written by this file and by appendEvents: whole events, or packed decisions.
  const parsed = JSON.parse(row.events) as (object | PackedDecision | null)[];
  return parsed.map((event) =>
    event === null ? null : isPacked(event) ? eventText(row, event) : JSON.stringify(event),
  );
}

/** True for a stored event, packed or whole, that is about this customer. */
export function isAbout(event: unknown, customerId: string): boolean {
  if (Array.isArray(event)) return event[3] === customerId;
  if (typeof event !== 'object' || event === null) return false;
  const payload: unknown = Reflect.get(event, 'payload');
  return typeof payload === 'object' && payload !== null && Reflect.get(payload, 'customerId') === customerId;
}

const isPacked = (event: object | PackedDecision): event is PackedDecision => Array.isArray(event);

/** Event `decision.made.v1` (docs/design/api-access.md 12.1). Its id is the decision's. */
function eventText(row: OutboxEvents, packed: PackedDecision): string {
  const [written, id, requestId, customerId, flowKey, configVersion, channel, placement, numbers] = packed;
  if (written !== form) throw new Error(`a packed event has the form ${written}, which this version does not support`);
  const items: string[] = [];
  for (let i = 0; i < numbers.length; i += 4) {
    const [place = 0, rank = 0, score = 0, probability = 0] = numbers.slice(i, i + 4);
    const channelId = row.channelIds.length === 1 ? row.channelIds[0] : row.channelIds[place];
    items.push(
      `{"offerId":"${row.offerIds[place]}","rank":${Math.abs(rank)},"score":${score},` +
        `"selectionProbability":${probability},"creativeId":${orNull(row.creativeIds[place])},` +
        `"channelId":${orNull(channelId)},"impression":${rank > 0}}`,
    );
  }
  return (
    `{"id":"${id}","type":"decision.made.v1","tenantId":"${row.tenantId}","timestamp":"${row.createdAt.toISOString()}",` +
    `"payload":{"requestId":"${requestId === 0 ? id : requestId}","recommendationId":"${id}",` +
    `"customerId":${canonicalJson(customerId)},"decisionFlowKey":${canonicalJson(flowKey)},` +
    `"configVersion":${configVersion},"channel":${orNull(channel)},` +
    `"placement":${orNull(placement)},"offersReturned":${items.length},"items":[${items.join(',')}]}}`
  );
}

const orNull = (text: string | null | undefined): string => (text == null ? 'null' : canonicalJson(text));
