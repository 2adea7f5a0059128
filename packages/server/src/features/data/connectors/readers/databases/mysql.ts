import { openMysqlSource } from '../../../../../db/index.ts';
import { type DatabaseFamily, databaseServer } from './database-server.ts';

const family = (mustOnlyRead: boolean): DatabaseFamily => ({
  ...{ port: 3306, quote: '`' },
  open: ({ sockets }, target, options) => openMysqlSource(sockets, { ...target, mustOnlyRead }, options),
});

/** MySQL and MariaDB. */
export const mysqlSource = databaseServer(family(true));

/** Databases that speak MySQL's protocol. Not all of them know sessions that only read. */
export const mysqlRelative = databaseServer(family(false));
