export { type ListOrder, newestFirst, oldestFirst, type SortKey } from './cursors.ts';
export { customFieldValueProblem, fitsCustomField } from './custom-field-values.ts';
export {
  type BucketPage,
  type BucketPrint,
  bucketOf,
  buckets,
  pageSql,
  pageValues,
  printColumns,
} from './id-buckets.ts';
export { type ListOptions, listRecords, type Pagination, type RecordList } from './record-lists.ts';
export {
  type Addressed,
  type GovernedRow,
  isUuid,
  type NewRecord,
  type RecordChange,
  type RecordSpec,
  toWire,
  type UniqueMeaning,
  type Wire,
} from './record-spec.ts';
export { explainViolations, findRecord, findRecords } from './record-store.ts';
export {
  assertRowVersion,
  cascadeSoftDelete,
  createRecord,
  type DeleteOptions,
  getRecord,
  hardDeleteRecord,
  isDeleted,
  lockRecord,
  noteChange,
  sameId,
  softDeleteRecord,
  type UpdateOptions,
  updateRecord,
} from './records.service.ts';
export {
  assertNotReferenced,
  inUse,
  inUseEntry,
  type Referable,
  type Referrer,
  referable,
  requireLive,
} from './references.ts';
export { countReferring, type RelatedRow, readReferring, readRelated } from './related.ts';
export {
  assignedTo,
  assignScopes,
  maximumAssignments,
  type ScopeAssignmentRow,
  type ScopeInput,
  wantedAssignments,
} from './scope-assignments.ts';
export { createSharedValues, type SharedValues } from './shared-values.ts';
