import { openPostgresSource } from '../../../../../db/index.ts';
import { databaseServer } from './database-server.ts';

/** PostgreSQL and the databases that speak its protocol. */
export const postgresqlSource = databaseServer({
  ...{ port: 5432, quote: '"' },
  open: ({ sockets }, target, options) => openPostgresSource(sockets, target, options),
});
