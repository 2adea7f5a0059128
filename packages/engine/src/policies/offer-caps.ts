import { readConfig } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { Builder } from '../plan/builder.ts';
import type { Gate } from '../plan/drop-reason.ts';
import type { OfferCaps, OfferLimit } from '../plan/offer.ts';
import type { Run } from '../plan/run.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { describe } from './ask-policies.ts';
import { calendarLimit, maxContacts } from './cap-limits.ts';
import { addTally, firstRowOfOfferCaps, tallyOf } from './tally.ts';

/** In the order in which a reached limit is reported. */
const periods = [
  ['daily', 'daily'],
  ['weekly', 'weekly'],
  ['monthly', 'monthly'],
  ['total', 'alltime'],
] as const;

const unreadable: OfferCaps = { limits: [], unreadable: true };

/** Null: the offer has no caps. */
export function compileOfferCaps(source: JsonObject | undefined, builder: Builder): OfferCaps | null {
  const perCustomer: Json | undefined = source?.perCustomer;
  if (perCustomer === undefined || perCustomer === null) return null;
  if (!isObject(perCustomer)) return unreadable;
  const reader = readConfig(perCustomer);
  const limits: OfferLimit[] = [];
  periods.forEach(([key, period], at) => {
    const max = reader.integer(key, { minimum: 0, maximum: maxContacts });
    if (max === undefined) return;
    const limit = calendarLimit(period, max);
    limits.push({ limit, window: builder.window(limit.spec), row: firstRowOfOfferCaps + at });
  });
  if (reader.problems.length > 0) return unreadable;
  return limits.length === 0 ? null : { limits, unreadable: false };
}

/**
 * Returns the text for an exhausted cap of an offer with `taken` items in the answer so far, or null while all caps
 * hold.
 */
export function offerCapReached(run: Run, ordinal: number, caps: OfferCaps, taken: number): Gate | null {
  if (caps.unreadable) return gateOf({ source: 'offer', cause: 'unreadable' });
  if (!run.offerCapsCounted) countContacts(run);
  for (let at = 0; at < caps.limits.length; at++) {
    const { limit, row } = caps.limits[at]!;
    const actual = tallyOf(run.scratch.tally, row, ordinal) + taken;
    if (actual < limit.max) continue;
    const reason = `frequency_cap exceeded: ${limit.max}/${limit.word} at scope=offer`;
    return gateOf(describe(reason, { source: 'offer', period: limit.period, max: limit.max, actual }));
  }
  return null;
}

const gateOf = (detail: Json): Gate => ({ ruleId: null, policyId: null, detail });

/** Tallies the contacts of this customer by offer, for the offers with caps. */
function countContacts(run: Run): void {
  run.offerCapsCounted = true;
  const { lanes, program } = run;
  for (let lane = 0; lane < lanes.size; lane++) {
    const ordinal = lanes.offer[lane]!;
    const limits = ordinal < 0 ? undefined : program.offers[ordinal]?.caps?.limits;
    if (limits === undefined) continue;
    for (let at = 0; at < limits.length; at++) {
      const { window, row } = limits[at]!;
      addTally(run.scratch.tally, row, ordinal, lanes.counts[window * lanes.size + lane]!, 0);
    }
  }
}
