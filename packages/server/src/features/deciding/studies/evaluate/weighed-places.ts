import {
  type Choice,
  type JsonObject,
  type LoggedItem,
  loggedSlate,
  type Weighed,
  type WeighedPlace,
} from '@arbiter/engine';
import type { PlaceRow } from '@arbiter/lab';

/** Minimum repetitions that picked an item, before their share counts as its chance. */
const fewestHits = 20;

/** An item of a recorded answer with what the estimators need of it. */
export interface RecordedItem extends LoggedItem {
  readonly channelId: string | null;
  readonly propensity: number;
}

/** Reads the items of a recorded result, in the order in which they were drawn. */
export function recordedItems(result: JsonObject): {
  readonly items: readonly RecordedItem[];
  readonly hasDraws: boolean;
} {
  const { items, hasDraws } = loggedSlate(result);
  const shown = Array.isArray(result.items) ? (result.items as readonly JsonObject[]) : [];
  return {
    hasDraws,
    items: items.map((item) => {
      const row = item.rank === null ? undefined : shown[item.rank - 1];
      const components = row?.scoreComponents as { readonly propensity?: unknown } | undefined;
      const channelId = row?.channelId;
      return {
        ...item,
        channelId: typeof channelId === 'string' ? channelId : null,
        // A removed item has no score in the record, and what it could have earned is unknown.
        propensity: typeof components?.propensity === 'number' ? components.propensity : 0,
      };
    }),
  };
}

/** The recorded chance of each item and its creative's share; null: not known. */
export function loggedChances(
  items: readonly RecordedItem[],
  live: Weighed | null,
): readonly { readonly probability: number; readonly share: number }[] | null {
  const chances: { probability: number; share: number }[] = [];
  for (const [at, item] of items.entries()) {
    const own = live?.places[at];
    if (item.estimated && (own === undefined || hasFewHits(own))) return null;
    const probability = item.estimated ? own!.probability : item.probability;
    if (!(probability > 0)) return null;
    chances.push({ probability, share: item.creativeShare ?? own?.creativeShare ?? 1 });
  }
  return chances;
}

const hasFewHits = ({ hits }: WeighedPlace): boolean => hits !== null && hits < fewestHits;

/** Places of a decision under the candidate. `live`: the same for the recorded plan; null if it wasn't weighed. */
export function placeRows(
  items: readonly RecordedItem[],
  chances: readonly { readonly probability: number; readonly share: number }[],
  rewards: readonly number[],
  candidate: Weighed,
  live: Weighed | null,
): readonly PlaceRow[] {
  const matched = candidate.places.length;
  const rows = items.map((item, at): PlaceRow => {
    const own = candidate.places[at];
    const { probability, share } = chances[at]!;
    const own0 = own === undefined || hasFewHits(own) ? 0 : own.probability * own.creativeShare;
    const choices = own?.choices ?? (at === matched ? candidate.next : []);
    const liveChoices = live === null ? null : (live.places[at]?.choices ?? []);
    return {
      // An item that a later stage of the candidate removes earns nothing.
      ratio: own?.isDelivered === false && item.rank !== null ? 0 : own0 / (probability * share),
      reward: rewards[at]!,
      item: { offer: item.offerId, channel: item.channelId ?? '', propensity: item.propensity },
      ...supportOf(choices, liveChoices),
    };
  });
  if (matched < items.length || candidate.next.length === 0) return rows;
  // Nothing is known about rewards past the end of the recorded answer.
  return [...rows, { ratio: 0, reward: 0, item: null, ...supportOf(candidate.next, live === null ? null : []) }];
}

/** Returns which of the candidate's choices the recorded plan could have shown too, with any of its creatives. */
function supportOf(
  choices: readonly Choice[],
  live: readonly Choice[] | null,
): Pick<PlaceRow, 'choices' | 'supported'> {
  const known = new Set(
    live?.flatMap(({ offerId, creativeId, otherCreatives }) =>
      (otherCreatives ?? [creativeId]).map((creative) => `${offerId} ${creative}`),
    ),
  );
  const rows = choices.map(({ offerId, creativeId, channelId, probability, propensity }) => ({
    offer: offerId,
    channel: channelId ?? '',
    chance: probability,
    propensity,
    supported: live === null || known.has(`${offerId} ${creativeId}`),
  }));
  // Whole support is 1 to the bit, whatever the chances sum to.
  const isWhole = rows.every(({ supported }) => supported);
  const sum = rows.reduce((so, { chance, supported }) => so + (supported ? chance : 0), 0);
  return { choices: rows, supported: live === null ? null : isWhole ? Number(rows.length > 0) : Math.min(1, sum) };
}

/** True when the recorded plan gives other probabilities than the record has. */
export function differs(items: readonly RecordedItem[], { places }: Weighed): boolean {
  if (places.length < items.length) return true;
  let before = 1;
  return items.some((item, at) => {
    const place = places[at]!;
    const isOff = item.estimated
      ? isFarFrom(item.probability, (item.draws ?? 1_000) * before, place)
      : Math.abs(item.probability - place.probability) > 1e-9;
    before *= place.probability;
    return isOff;
  });
}

/**
 * An estimate is `(hits + 1) / (draws + candidates)`. Six standard errors, because a study checks thousands of them and a single
 * one that is off refuses it; and a few hits more, because rare ones aren't normal.
 */
function isFarFrom(stored: number, draws: number, { probability, choices, method, hits }: WeighedPlace): boolean {
  const expected = (draws * probability + 1) / (draws + choices.length);
  const counted = method === 'repetitions' ? 1 / Math.max(1, (hits ?? 0) / Math.max(probability, 1e-9)) : 0;
  const noise = Math.sqrt(expected * (1 - expected) * (1 / Math.max(1, draws) + counted));
  return Math.abs(stored - expected) > 6 * noise + 6 / Math.max(1, draws);
}
