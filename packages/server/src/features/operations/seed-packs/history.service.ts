import type { Pack, PackInteraction } from '@arbiter/packs';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { snapshotPolicies } from '../../catalogue/contact-policies/index.ts';
import { readOutcomeTypes } from '../../catalogue/outcomes/index.ts';
import { rebuildRealtime } from '../../data/behavioral-metrics/index.ts';
import {
  type CustomerKeys,
  decodeState,
  encodeState,
  ensureStates,
  forgetOffers,
  lockStatesInOrder,
  saveHeldStates,
} from '../../deciding/customer-states/index.ts';
import { appendChanges } from '../../deciding/evidence/index.ts';
import { type EventFacts, writeEvents } from '../../deciding/history-import/index.ts';
import { countSummariesOf, customersOfOffers, removeHistoryOf } from '../../deciding/interactions/index.ts';
import { outcomePoliciesOf } from '../../deciding/plans/index.ts';
import { customersSuppressedFor, removeSuppressionsOf } from '../../deciding/suppressions/index.ts';
import { announceBooking, pricesOf } from '../../deciding/volumes/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { type NamesOfPack, named } from './references.rules.ts';

/** Customers whose rows are locked and changed together. */
const customersAtOnce = 500;

/**
 * Writes what happened in the pack's past with all that it moves, as an import does: history, counters of customers, suppressions,
 * figures, evidence (docs/design/api-access.md 13). Answers with the numbers of rows and of the sums that they make. The last of a
 * load: it holds rows that decisions of the pack's customers wait for.
 */
export async function writePackHistory(
  tx: Tx,
  pack: Pack,
  all: NamesOfPack,
  keys: CustomerKeys,
): Promise<{ readonly interactions: number; readonly customers: number }> {
  const turns = takeTurns();
  const past: PackInteraction[] = [];
  for (const interaction of pack.history(tx.now)) {
    past.push(interaction);
    await turns();
  }
  if (past.length === 0) return { interactions: 0, customers: 0 };
  // IDs are given in the order of time, in which lists show what happened.
  past.sort((a, b) => a.at.getTime() - b.at.getTime());
  const customers = [...new Set(past.map(({ customerId }) => customerId))];
  await announceBooking(tx);
  await ensureStates(
    tx,
    customers.map((customerId) => ({ customerId, ref: newId(), dataKey: keys.create(tx.tenantId) })),
  );
  const lockedStates = await lockStatesInOrder(tx, customers);
  const factsOf = await readFacts(tx, pack, all);
  await writeEvents(tx, past.map(factsOf), lockedStates, outcomePoliciesOf(await snapshotPolicies(tx)));
  return { interactions: past.length, customers: customers.length };
}

/** Returns the number of sums in the history of the pack's offers. */
export async function countPackSummaries(tx: Tx, all: NamesOfPack): Promise<number> {
  const { timezone } = await readSettings(tx);
  return countSummariesOf(tx, [...all.offer.values()], timezone);
}

/** What the pack's events need from the catalogue. */
async function readFacts(tx: Tx, pack: Pack, all: NamesOfPack): Promise<(interaction: PackInteraction) => EventFacts> {
  const outcomes = new Map((await readOutcomeTypes(tx)).map((outcome) => [outcome.key, outcome]));
  const creatives = new Map(pack.creatives.map((creative) => [creative.name, creative]));
  const offers = new Map(pack.offers.map((offer) => [offer.name, offer]));
  return ({ customerId, creativeName, outcome: outcomeKey, at, value }) => {
    const creative = creatives.get(creativeName);
    const offer = offers.get(creative?.offerName ?? '');
    const outcome = outcomes.get(outcomeKey);
    if (creative === undefined || offer === undefined || outcome === undefined) {
      throw new Error(
        `${pack.key} has history for ${creativeName} with the outcome ${outcomeKey}, which it doesn't contain`,
      );
    }
    const offerId = named(all.offer, offer.name);
    const creativeId = named(all.creative, creative.name);
    const channelId = named(all.channel, creative.channelName);
    return {
      event: {
        customerId,
        outcome: outcomeKey,
        offerId,
        creativeId,
        channelId,
        placementId: null,
        campaignId: null,
        at: at.getTime(),
        direction: null,
        conversionValue: value,
        currency: null,
        context: null,
      },
      outcome,
      offerId,
      categoryId: named(all.category, offer.categoryName),
      prices: pricesOf(offer.budget ?? {}),
      creativeId,
      channelId,
      placementId: null,
    };
  };
}

/**
 * Removes the history of deleted offers and its effects: customer counters, suppressions, figures and evidence are as
 * if it hadn't happened. Sealed decision records stay. The last step of a removal, like `writePackHistory`.
 */
export async function removePackHistory(
  tx: Tx,
  doomed: { readonly offers: readonly string[]; readonly categories: readonly string[] },
): Promise<{ readonly interactions: number; readonly interactionSummaries: number }> {
  const { timezone } = await readSettings(tx);
  const summed = await countSummariesOf(tx, doomed.offers, timezone);
  const scopeIds = [...doomed.offers, ...doomed.categories];
  const affectedCustomers = [
    ...(await customersOfOffers(tx, doomed.offers)),
    ...(await customersSuppressedFor(tx, scopeIds)),
  ];
  const customers = [...new Set(affectedCustomers)].sort();
  const offerIds = new Set(doomed.offers);
  for (let from = 0; from < customers.length; from += customersAtOnce) {
    await forget(tx, customers.slice(from, from + customersAtOnce), offerIds);
  }
  await removeSuppressionsOf(tx, scopeIds);
  const { interactions, answers } = await removeHistoryOf(tx, doomed.offers);
  const reversed = answers.map(({ positives, negatives, ...about }) => ({
    ...about,
    positives: -positives,
    negatives: -negatives,
  }));
  await appendChanges(tx, reversed);
  await rebuildRealtime(tx);
  return { interactions, interactionSummaries: summed };
}

async function forget(tx: Tx, customers: readonly string[], offerIds: ReadonlySet<string>): Promise<void> {
  const turns = takeTurns();
  const lockedStates = await lockStatesInOrder(tx, customers);
  const saved = [];
  for (const [customerId, { customerSeq, state: stored, base }] of lockedStates) {
    const state = decodeState(stored, base);
    forgetOffers(state, offerIds);
    saved.push({ customerId, customerSeq, hadBase: base !== null, stored: encodeState(state) });
    await turns();
  }
  await saveHeldStates(tx, saved);
}
