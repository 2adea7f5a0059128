import { interactionListOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { eraseHistory } from './erasure.store.ts';
import { interactionRecorded } from './interactions.events.ts';
import { interactionJobs, retainers } from './interactions.jobs.ts';
import { interactionListRoutes } from './interactions.routes.ts';
import type { SettlementNumbers } from './reservations.service.ts';

export { contactHistory, type PastContact } from './contacts/contact-history.store.ts';
export { countsOfErased, isHistoryOf } from './erasure.store.ts';
export {
  type HistoryRow,
  selectStoredItems,
  storedRowsAmong,
  storedRowsFrom,
} from './history-list.store.ts';
export { insertInteractions } from './import.store.ts';
export { type InteractionEvent, interactionEvent, interactionRecorded, interactionsOf } from './interactions.events.ts';
export {
  contactsSince,
  ensureInteractionPartitions,
  historyTables,
  type NewInteraction,
} from './interactions.store.ts';
export { type ItemResponse, responsesToItems, valueCurrencies } from './item-responses.store.ts';
export { customerAfterRows, eventsAheadMs, metricDayParameters, metricEventSources } from './metric-events.store.ts';
export { countSummariesOf, customersOfOffers, removeHistoryOf } from './offer-removal.store.ts';
export { archivedHistory } from './old-history/archive.store.ts';
export { readAllSelections } from './old-history/archived-selections.service.ts';
export { hadOutcome, impressionsUnder } from './outcome-figures.store.ts';
export { previewCap, selectOffersSeen } from './preview.store.ts';
export {
  readHistoryTotals,
  readTotals,
  type TotalsFilter,
} from './report-figures.store.ts';
export type { SettlementNumbers } from './reservations.service.ts';
export { type Settlement, settleReservations } from './reservations.store.ts';
export { insertShown, type ShownDecision } from './shown-decisions.store.ts';
export {
  customersOfShown,
  experimentsShown,
  firstOffersOf,
  itemIdOf,
  readConfirmations,
  readShown,
  type ShownItem,
  showedOffer,
  unansweredItems,
} from './shown-items.store.ts';
export { dayOf, dayParameters, readCustomerSummaries } from './summaries.store.ts';
export {
  addToTotals,
  clearTotals,
  countsOfHistory,
  countsOfReport,
  type DailyTotals,
  readCreativeTotals,
  readTenantSummaries,
  type TotalsDimension,
} from './totals/totals.store.ts';
export { newestItems, outcomesIn, outcomesOf, shownIn } from './training-history.store.ts';
export { type HistoryFigures, historyFigures, type OpenReservation, openReservations } from './volume-figures.store.ts';
export { readWindowFigures, type WindowFigures } from './window-figures.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = [
  'interactions',
  'decision_impressions',
  'erased_totals',
  'interaction_history',
  'interaction_summaries',
  'daily_totals',
];

export const interactionsFeature = feature({
  name: 'interactions',
  tables,
  // The last one is a view over two of the others.
  resets: { empties: tables.filter((table) => table !== 'interaction_history') },
  events: [interactionRecorded],
  erases: [
    {
      tables: ['interactions', 'decision_impressions', 'interaction_summaries'],
      scopes: ['interactions', 'all', 'everything'],
      erase: (tx, { customerId, zone }) => eraseHistory(tx, customerId, zone),
    },
  ],
  retains: retainers,
  operations: () => handlerEntries(interactionListOperations, interactionListRoutes()),
  jobs: ({
    database,
    settlementNumbers,
  }: {
    readonly database: Database;
    readonly settlementNumbers: SettlementNumbers;
  }) => interactionJobs(database, settlementNumbers),
});
