import {
  type ContactLane,
  type Contacts,
  type DecisionInput,
  type DecisionItem,
  foldContacts,
  unpackInput,
} from '@arbiter/engine';
import type { PastContact } from '../../interactions/index.ts';
import { type AddedContact, contactsBelow, laneName } from './past-contacts.ts';
import type { WholeRecord } from './record-reader.ts';

/** The items of an answer that become contacts. */
export type ContactItem = Pick<DecisionItem, 'offerId' | 'creativeId' | 'channelId'>;

/**
 * A customer's contacts as a draft would have left them (docs/design/lead.md 2, chained). The draft's own items replace the
 * logged ones of each decision that it decided; items that both have keep what actually happened to them.
 */
export interface CustomerChain {
  /** Returns the contacts that commit number `seq` would have seen. */
  contacts(seq: number): Contacts;
  /** Leaves out outcomes of items that the draft didn't show. */
  outcomes(outcomes: DecisionInput['outcomes']): DecisionInput['outcomes'];
  /** Replaces the logged items of a decision. */
  decided(decision: ChainedDecision): void;
}

export interface ChainedDecision {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly campaignId: string | null;
  /** As logged, in the order of their ranks. */
  readonly logged: readonly ContactItem[];
  readonly items: readonly ContactItem[];
}

const itemName = ({ offerId, creativeId }: ContactItem): string => `${offerId} ${creativeId}`;

export function createChain(history: readonly PastContact[]): CustomerChain {
  const added: AddedContact[] = [];
  /** Decisions and ranks that the draft didn't show. */
  const left = new Set<string>();
  const leftAt = new Map<string, number>();
  const counts = ({ decisionId, rank }: PastContact): boolean =>
    decisionId === null || !left.has(`${decisionId} ${rank}`);
  return {
    contacts: (seq) => contactsBelow(history, seq, counts, added),
    outcomes: (outcomes) =>
      leftAt.size === 0
        ? outcomes
        : outcomes?.filter(({ lane, at }) => {
            const since = leftAt.get(laneName(lane));
            return since === undefined || at < since;
          }),
    decided({ id, seq, at, campaignId, logged, items }) {
      const rest = new Map<string, number>();
      for (const item of items) rest.set(itemName(item), (rest.get(itemName(item)) ?? 0) + 1);
      logged.forEach((item, place) => {
        const more = rest.get(itemName(item)) ?? 0;
        const lane: ContactLane = { ...laneOf(item), campaignId };
        if (more > 0) {
          rest.set(itemName(item), more - 1);
          leftAt.delete(laneName(lane));
        } else {
          left.add(`${id} ${place + 1}`);
          leftAt.set(laneName(lane), at);
        }
      });
      for (const item of items) {
        const more = rest.get(itemName(item)) ?? 0;
        if (more === 0) continue;
        rest.set(itemName(item), more - 1);
        added.push({ ...laneOf(item), campaignId, seq, at });
        leftAt.delete(laneName({ ...laneOf(item), campaignId }));
      }
    },
  };
}

const laneOf = ({ offerId, creativeId, channelId }: ContactItem) => ({ offerId, creativeId, channelId });

/** Whether history gives exactly the counts in a record, which means that it's complete. */
export function agreesWith(
  { packed, flow, record, seed, evidence, modelStates }: WholeRecord,
  history: readonly PastContact[],
): boolean {
  const { plan, refs } = flow;
  if (record.customerSeq === null) return false;
  const facts = { requestId: record.requestId, seed, evidence, modelStates, windows: plan.windows.length, refs };
  const { contacts, now, zones } = unpackInput(packed, facts);
  const clock = zones[plan.timezone];
  if (clock === undefined) return false;
  const past = contactsBelow(history, Number(record.customerSeq));
  const folded = foldContacts(past, plan.windows, now, clock, { longestCooldownMs: plan.longestCooldownMs });
  return linesOf(folded) === linesOf(contacts);
}

/** The order of lanes doesn't matter. */
const linesOf = ({ lanes, lastAt, counts }: DecisionInput['contacts']): string =>
  lanes
    .map((lane, at) => `${laneName(lane)} ${lastAt[at]} ${counts.map((row) => row[at]).join(' ')}`)
    .sort()
    .join('\n');
