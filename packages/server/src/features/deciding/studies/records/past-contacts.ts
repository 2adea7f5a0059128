import type { ContactLane, Contacts } from '@arbiter/engine';
import type { PastContact } from '../../interactions/index.ts';

/** Name of a lane: contacts with the same one are counted together. */
export const laneName = ({ offerId, creativeId, channelId, campaignId }: ContactLane): string =>
  `${offerId} ${creativeId} ${channelId} ${campaignId}`;

/** A contact that a chained study adds: an item that the draft showed and the log didn't. */
export interface AddedContact extends ContactLane {
  readonly seq: number;
  readonly at: number;
}

/**
 * Returns a customer's contacts as commit number `seq` saw them (docs/design/lead.md 0): impressions below it, and
 * reservations below it that nothing below it had ended. `counts`: which contacts to leave out; `added` come on top.
 */
export function contactsBelow(
  history: readonly PastContact[],
  seq: number,
  counts: (contact: PastContact) => boolean = () => true,
  added: readonly AddedContact[] = [],
): Contacts {
  const lanes: ContactLane[] = [];
  const totals: number[] = [];
  const lastAt: number[] = [];
  const numbers = new Map<string, number>();
  const log: { lane: number; at: number }[] = [];
  const reservations: { id: string; lane: number; at: number; expiresAt: number }[] = [];
  const laneOf = ({ offerId, creativeId, channelId, campaignId }: ContactLane): number => {
    const lane = { offerId, creativeId, channelId, campaignId };
    const name = laneName(lane);
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, lanes.length);
    lanes.push(lane);
    totals.push(0);
    lastAt.push(0);
    return lanes.length - 1;
  };
  const count = (contact: ContactLane & { readonly at: number }): void => {
    const lane = laneOf(contact);
    totals[lane]! += 1;
    lastAt[lane] = Math.max(lastAt[lane]!, contact.at);
    log.push({ lane, at: contact.at });
  };
  for (const contact of history) {
    // Rows without a number are older than all others.
    if ((contact.seq ?? 0) >= seq || !counts(contact)) continue;
    const { reservation } = contact;
    if (reservation === null) count(contact);
    else if (reservation.settledSeq === null || reservation.settledSeq >= seq) {
      reservations.push({
        id: reservation.id,
        lane: laneOf(contact),
        at: contact.at,
        expiresAt: reservation.expiresAt,
      });
    }
  }
  for (const contact of added) if (contact.seq < seq) count(contact);
  log.sort((a, b) => a.at - b.at);
  return { lanes, totals, lastAt, log, keptFrom: 0, reservations };
}
