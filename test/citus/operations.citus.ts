import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isSecret, isSignature, namesTenant, type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { archiveFolder } from '../operations/archive-file.ts';
import { examples, verifyToken } from '../operations/examples.ts';
import { createFixtures } from '../operations/fixtures.ts';
import { operatorSecrets } from '../operations/kinds/server.ts';
import { send } from '../operations/requests.ts';

// Every operation of the contract succeeds on a cluster, and no statement of a tenant asks more than one worker: Citus
// refuses those in tests.

const all: readonly Operation[] = Object.values(operations);
const metricsToken = 'a metrics token of the cluster';

let server: TestServer;
before(async () => {
  server = await startTestServer({
    tenants: all.length,
    config: {
      METRICS_TOKEN: metricsToken,
      ARCHIVE_URL: { folder: archiveFolder },
      WHATSAPP_WEBHOOK_VERIFY_TOKEN: verifyToken,
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'a secret of the matrix',
      // Nothing listens there.
      GOOGLE_ISSUER_URL: 'http://127.0.0.1:65535',
      ...operatorSecrets,
    },
  });
});
after(() => server?.close());

for (const [index, operation] of all.entries()) {
  test(`${operation.id} succeeds on a cluster`, async () => {
    const tenant = server.tenants[index]!;
    const fixtures = createFixtures(server, tenant);
    const call = await examples[operation.id]!(fixtures);
    const keys = await fixtures.credentials(operation);
    await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
    const answer = await send(server, operation, call, { key: keyOf(operation, keys.admin) });
    assert.ok(answer.status < 400, `${answer.status} ${answer.text.slice(0, 500)}`);
  });
}

function keyOf({ auth }: Operation, key: string): string | null {
  if (namesTenant(auth)) return key;
  if (isSignature(auth)) return String(Reflect.get(operatorSecrets, auth.variable));
  if (!isSecret(auth)) return null;
  return auth.variables[0] === 'METRICS_TOKEN' ? metricsToken : operatorSecrets.CRON_SECRET;
}
