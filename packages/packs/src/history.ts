import { dayMs } from './numbers.ts';
import type { PackCreative, PackInteraction, PackRow, PackTruth } from './pack.ts';
import { type Chance, chanceOf } from './random.ts';

/** History covers the 90 days before the load. */
const oldestDays = 89;
/** The first customer hasn't been contacted for this long, so no policy blocks anything. */
const firstCustomerDays = 35;
/** Contacts of the first customer, so that there is something to see. */
const firstCustomerContacts = 4;
const openHours = { from: 8, to: 20 };
const hourMs = 3_600_000;

type Weighted = readonly (readonly [outcome: string, weight: number])[];

/** What a pack's history is drawn from. */
export interface HistoryPlan {
  readonly seed: string;
  /** Number of rows, impressions and responses together. */
  readonly size: number;
  readonly customerCount: number;
  /** Returns the n-th customer, from 1; the key is in the first column. Visitors meet the first one first. */
  readonly customer: (number: number) => PackRow;
  readonly creatives: readonly PackCreative[];
  /** Whether the customer may get the offer. History has no impressions that the pack's rules forbid. */
  readonly suits: (customer: PackRow, offerName: string) => boolean;
  readonly truth: PackTruth;
  /** Positive responses to the offer. */
  readonly positive: (offerName: string) => Weighted;
  /** Responses that aren't positive; `null` means no response. */
  readonly other: readonly (readonly [outcome: string | null, weight: number])[];
  /** Value of a conversion of the offer. */
  readonly worthOf: (offerName: string) => number;
  readonly loadedAt: Date;
}

/**
 * Draws contacts and responses: an impression of a suitable creative and, with the probability of `truth`, a positive
 * response within hours.
 */
export function* drawHistory(plan: HistoryPlan): Generator<PackInteraction> {
  const { seed, size, customerCount, creatives, suits } = plan;
  const anybody = chanceOf(`${seed}/history`);
  const ofOffer = Map.groupBy(creatives, ({ offerName }) => offerName);
  let left = size;
  for (let contact = 0; left > 0; contact += 1) {
    const number = contact < firstCustomerContacts ? 1 : anybody.int(2, customerCount);
    const customer = plan.customer(number);
    const chance = chanceOf(`${seed}/history/${contact}`);
    const suitable = [...ofOffer].flatMap(([offerName, own]) => (suits(customer, offerName) ? own : []));
    const creative = suitable[chance.int(0, suitable.length - 1)];
    if (creative === undefined) continue;
    const rows = contactWith(plan, customer, creative, chance, number === 1).slice(0, left);
    left -= rows.length;
    yield* rows;
  }
}

function contactWith(
  { truth, positive, other, worthOf, loadedAt }: HistoryPlan,
  customer: PackRow,
  { name, offerName, channelName }: PackCreative,
  chance: Chance,
  isFirst: boolean,
): PackInteraction[] {
  const loaded = loadedAt.getTime();
  const day = Math.floor(loaded / dayMs) - chance.int(isFirst ? firstCustomerDays : 0, oldestDays);
  const hours = openHours.from + chance.next() * (openHours.to - openHours.from);
  const drawn = day * dayMs + Math.round(hours * hourMs);
  // Later today hasn't happened yet.
  const at = drawn < loaded ? drawn : drawn - dayMs;
  const shown: PackInteraction = {
    customerId: String(Object.values(customer)[0]),
    creativeName: name,
    outcome: 'impression',
    at: new Date(at),
    value: null,
  };
  const isGood = chance.flip(truth(customer, offerName, channelName));
  const answeredAt = Math.min(at + chance.int(1, 600) * 60_000, loaded);
  const answer = isGood ? chance.pick(positive(offerName)) : chance.pick(other);
  // A complaint of the first customer would block offers for weeks.
  const outcome = isFirst && !isGood ? null : answer;
  if (outcome === null) return [shown];
  const value = outcome === 'convert' ? worthOf(offerName) : null;
  return [shown, { ...shown, outcome, at: new Date(answeredAt), value }];
}
