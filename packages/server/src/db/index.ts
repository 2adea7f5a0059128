export { databaseAnswers } from './answers.ts';
export { booleanArray, bytesArray, instantArray, numberArray, textArray, textsArray, uuidArray } from './array-text.ts';
export { backupFrames } from './backup/backup-database.ts';
export {
  BackupError,
  type BackupFrame as Frame,
  readBackupFile,
  verifyBackupFile,
  writeBackupFile,
} from './backup/backup-file.ts';
export type { BackupHeader, TenantOfBackup } from './backup/contents.ts';
export { moveTenantOut } from './backup/move-tenant.ts';
export { assertEmpty, assertRestorable, type Restored, restoreDatabase } from './backup/restore-database.ts';
export { restoreTenant } from './backup/restore-tenant.ts';
export {
  catalogueVersionOf,
  lockCatalogueVersion,
  readCatalogueVersion,
  readNewestCatalogueVersion,
  tenantsUsedLast,
  type UsedTenant,
} from './catalogue-versions.ts';
export type { TableSize } from './cluster/distribute.ts';
export { distributeDatabase } from './cluster/distribute-database.ts';
export { createHomes } from './cluster/homes.ts';
export { assertCoordinator, holdsCluster } from './cluster/nodes.ts';
export { cancelStatement, nameTransaction, type TransactionName } from './connections/cancel-statement.ts';
export {
  createHotPath,
  type HotPath,
  type HotRow,
  type HotStatement,
  type HotTransaction,
  instantColumn,
  readClock,
} from './connections/hot-transaction.ts';
export { createQueuePool, queueSchema } from './connections/queue-pool.ts';
export type { Database, TransactionOptions } from './database.ts';
export { createDatabase, systemActor } from './database.ts';
export { startEmbeddedPostgres } from './embedded/embedded-postgres.ts';
export { DatabaseError, hasMoved, isTimedOut, translateError } from './errors.ts';
export { migrate, pendingMigrations } from './migrate.ts';
export { dropEmptyMonths, ensureMonthPartition, ensureMonthPartitions } from './partitions.ts';
export { checkRole } from './roles/role-check.ts';
export { connectionRoom, type DatabaseAddress, hears, sessionLoss } from './roles/session-check.ts';
export type { DatabaseSource, DatabaseTarget, TableQuery } from './sources/database-source.ts';
export { openMysqlSource } from './sources/mysql-source.ts';
export { openPostgresSource } from './sources/postgres-source.ts';
export { openSqlServerSource } from './sources/sqlserver-source.ts';
export { type Actor, type CountedWrite as Written, inTime, type Tx } from './tx.ts';
