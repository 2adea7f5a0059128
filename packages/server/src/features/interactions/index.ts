import type { Database } from '../../db/index.ts';
import { feature } from '../../feature.ts';
import { interactionRecorded } from './interactions.events.ts';
import { interactionJobs } from './interactions.jobs.ts';
import type { SettlementNumbers } from './reservations.service.ts';

export { interactionEvent, interactionRecorded } from './interactions.events.ts';
export {
  contactsSince,
  findShownItem,
  findShownItems,
  type ItemRow,
  insertInteraction,
  insertItems,
  type NewInteraction,
  type ShownItem,
  setReservationState,
} from './interactions.store.ts';
export type { SettlementNumbers } from './reservations.service.ts';
export { historyRow, upsertSummaries } from './summaries.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['interactions', 'interaction_summaries'];

export const interactionsFeature = feature({
  name: 'interactions',
  tables,
  events: [interactionRecorded],
  jobs: ({
    database,
    settlementNumbers,
  }: {
    readonly database: Database;
    readonly settlementNumbers: SettlementNumbers;
  }) => interactionJobs(database, settlementNumbers),
});
