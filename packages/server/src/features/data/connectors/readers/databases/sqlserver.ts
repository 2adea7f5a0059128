import { openSqlServerSource } from '../../../../../db/index.ts';
import { databaseServer } from './database-server.ts';

/** SQL Server and Azure SQL. */
export const sqlserverSource = databaseServer({
  ...{ port: 1433, quote: '"' },
  open: openSqlServerSource,
});
