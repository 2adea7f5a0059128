import { decisionListOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { retainers, type SealedRecordJobPorts, sealedRecordJobs } from './sealed-records.jobs.ts';
import { decisionListRoutes } from './sealed-records.routes.ts';
import { eraseRecordsOf } from './sealed-records.store.ts';

export { archivedDecisions } from './archive.store.ts';
export { type DecisionFilter, readDecisionFilter } from './decision-filter.ts';
export { itemId, newDecisionId, recordContext, requestContext, seedOf } from './decision-ids.ts';
export { recordMatches } from './decision-list.store.ts';
export { emptyCodes } from './empty-codes.ts';
export { engineStamp } from './engine-stamp.ts';
export { openRecords } from './opened-records.ts';
export { inputText, newZoneWriter, type ZoneWriter } from './packed-input.ts';
export { resultHash, shownAssignment } from './packed-result.ts';
export { proveDecision } from './proof.service.ts';
export { readRecordedColumns, readRecordedFeatures, readRecordedScopes } from './recorded-features.ts';
export {
  type RecordPorts,
  readDecision,
  recordedQuestion,
  recordedScope,
  replayDecision,
  replayRecord,
} from './sealed-records.service.ts';
export {
  ensureRecordPartitions,
  hasRecord,
  insertRecords,
  isRecorded,
  type RecordRow,
  recordExists,
  type StoredRecord,
  selectRandomRecords,
  traceNamedBy,
} from './sealed-records.store.ts';
export { createSeal, type Seal, unseal } from './sealing.ts';
export { selectedRecords } from './selected-records.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['decisions'];

export const sealedRecordsFeature = feature({
  name: 'sealed-records',
  tables,
  resets: { empties: tables },
  erases: [
    {
      // The records remain but are unreadable and name nobody: the key that opens them is deleted with the customer's
      // row.
      tables: ['decisions'],
      scopes: ['traces', 'all', 'everything'],
      erase: async (tx, { ref }) => ({ sealedRecords: await eraseRecordsOf(tx, ref) }),
    },
  ],
  retains: retainers,
  operations: () => handlerEntries(decisionListOperations, decisionListRoutes()),
  jobs: (ports: SealedRecordJobPorts) => sealedRecordJobs(ports),
});
