import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { whenThere } from './when-there.ts';

const logger = createLogger('silent');

/** The driver's error when Citus can't reach another node. */
const remote = (reason: string): Error =>
  Object.assign(
    new Error(`connection to the remote node arbiter_owner@db2:5432 failed with the following error: ${reason}`),
    {
      code: '08006',
      severity: 'ERROR',
    },
  );

for (const reason of [
  'FATAL:  role "arbiter_owner" is not permitted to log in',
  'FATAL:  password authentication failed for user "arbiter_owner"',
  'FATAL:  no pg_hba.conf entry for host "10.0.0.1"',
  'FATAL:  role "arbiter_owner" does not exist',
]) {
  test(`ends the start when a node of the cluster says ${reason}`, async () => {
    const failing = whenThere('DATABASE_URL', logger, () => Promise.reject(remote(reason)));
    await assert.rejects(
      failing,
      (error) => error instanceof ConfigError && /Allow the roles arbiter_owner/.test(error.message),
    );
  });
}

test('waits for a node of the cluster that is down', async () => {
  let tries = 0;
  const found = await whenThere('DATABASE_URL', logger, async () => {
    tries += 1;
    if (tries === 1) throw remote('Connection refused');
    return 'there';
  });
  assert.equal(found, 'there');
});
