export {
  contactsSince,
  expireReservations,
  findShownItem,
  findShownItems,
  type ItemRow,
  insertInteraction,
  insertItems,
  type NewInteraction,
  type ShownItem,
  setReservationState,
} from './interactions.store.ts';
export { historyRow, upsertSummaries } from './summaries.store.ts';
