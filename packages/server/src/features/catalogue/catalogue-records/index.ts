export type { CatalogueChange, TellChange } from './catalogue-changes.ts';
export { columnDefaultsOf, withDefaults } from './column-defaults.ts';
export { rejectCursor } from './cursors.ts';
export { customFieldValueProblem, fitsCustomField } from './custom-field-values.ts';
export type { LockDependants, RouteColumn } from './dependants.ts';
export { allowGoingLive, requireGoingLive } from './going-live.ts';
export {
  type BucketPage,
  type BucketPrint,
  bucketOf,
  buckets,
  pageSql,
  pageValues,
  printColumns,
} from './id-buckets.ts';
export { jsonDifferences } from './json-differences.ts';
export { freeKey, keyFromName } from './keys/keys.rules.ts';
export { lockDerivedKeys as lockMadeKeys } from './keys/made-keys.store.ts';
export { noContent, recordHandlers } from './record-handlers.ts';
export type { ListOptions } from './record-lists.store.ts';
export { searchable } from './record-search.store.ts';
export {
  type Addressed,
  type NewRecord,
  type RecordChange,
  type RecordRow,
  recordSpec,
  tableOf,
  toWire,
} from './record-spec.ts';
export {
  assertRowVersion,
  cascadeSoftDelete,
  createRecord,
  getRecord,
  hardDeleteRecord,
  isDeleted,
  lockRecord,
  sameId,
  softDeleteRecord,
  updateRecord,
} from './records.service.ts';
export { findDeletedWith, findRecord, findRecords } from './records.store.ts';
export {
  assertNotMentioned,
  assertNotReferenced,
  inUse,
  inUseEntry,
  requireLive,
} from './references.store.ts';
export {
  countRecords,
  countReferring,
  type ReferringColumn,
  type RelatedRow,
  readNames,
  readReferring,
  readRelated,
  requireVersion,
} from './related.store.ts';
export { cascadeRestore, restorable } from './restore.service.ts';
export { assignedTo } from './scopes/scope-assignments.store.ts';
export {
  assignScopes,
  type ScopeAssignmentRow,
  wantedAssignments,
} from './scopes/scope-assignments.ts';
export { createSharedValues, type SharedValues } from './shared-values.ts';
