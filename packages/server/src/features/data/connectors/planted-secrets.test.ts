import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Connector,
  type ConnectorAuthMethod,
  type ConnectorType,
  connectorAuthFields,
  connectorTypeInfo,
  connectorTypeNames,
} from '@arbiter/contract';
import { shareOf } from '../../../../../../test/form.ts';
import { tablesHolding } from '../../../main/test-dump.ts';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import {
  reachesDestinations,
  startDestination,
  type TestDestination,
} from '../../operations/notifications/test-destination.ts';

/** No secret of a connector shows up anywhere: answers, log, jobs, audit, dead letters, exports (docs/design/quality.md T18). */

const mark = 'Pl4ntedS3cret';
const marked = (name: string): string => `xx-${mark}-${name}-yy`;

let server: TestServer;
let peer: TestDestination;
const answers: string[] = [];
before(async () => {
  [server, peer] = await Promise.all([startTestServer({ config: reachesDestinations }), startDestination()]);
  // A server that repeats in its error what it was sent, as some do.
  peer.below('/echo', (response, got) => {
    response.writeHead(401, {
      'content-type': 'application/json',
      'www-authenticate': `Basic realm="${got.headers.authorization}"`,
    });
    response.end(JSON.stringify(got));
  });
});
after(() => Promise.all([server?.close(), peer?.close()]));

const call = async <Body>(method: string, path: string, body?: object): Promise<CallResult<Body>> => {
  const answer = await server.call<Body>(method, path, body === undefined ? {} : { body });
  answers.push(`${method} ${path}\n${answer.text}`);
  return answer;
};

const methodsOfTypes = connectorTypeNames.flatMap((type) =>
  connectorTypeInfo(type).authMethods.map((method) => ({ type, method })),
);

/** A connector whose every secret is marked: its credentials, and what people put into the config by mistake. */
function bodyOf(type: ConnectorType, method: ConnectorAuthMethod): object {
  const authConfig = Object.fromEntries(
    connectorAuthFields[method].map(({ name, isSecret }) => [name, isSecret ? marked(name) : 'plain']),
  );
  const required = Object.fromEntries(
    connectorTypeInfo(type)
      .required.flat()
      .map((key) => [key, `${key}.example`]),
  );
  const config = {
    ...required,
    url: peer.url('/echo').replace('http://', `http://user:${marked('url')}@`),
    headers: { authorization: `Bearer ${marked('header')}`, cookie: marked('cookie') },
    ...{
      password: marked('password'),
      apiKey: marked('apiKey'),
      connectionString: `mongodb://u:${marked('string')}@127.0.0.1/x`,
    },
    nested: { clientSecret: marked('nested'), list: [{ privateKey: marked('list') }] },
  };
  return { name: `${type} by ${method}`, type, authMethod: method, config, authConfig };
}

test('secrets of every type and auth method stay sealed', { timeout: 300_000 }, async () => {
  assert.ok(methodsOfTypes.length > connectorTypeNames.length);
  const ids = new Map<ConnectorType, string>();
  for (const { type, method } of shareOf(methodsOfTypes, 'planted secrets', 2)) {
    const { status, body, text } = await call<Connector>('POST', '/api/v1/connectors', bodyOf(type, method));
    assert.equal(status, 201, text);
    assert.equal(body.hasAuth, true, type);
    const changed = await call('PUT', `/api/v1/connectors/${body.id}`, { authConfig: { password: marked('changed') } });
    assert.equal(changed.status, 200, changed.text);
    await call('PUT', `/api/v1/connectors/${body.id}`, bodyOf(type, method));
    // One test of each type stays below the limit of tests.
    if (!ids.has(type)) await call('POST', '/api/v1/connectors/test', { id: body.id });
    ids.set(type, body.id);
    await call('GET', `/api/v1/connectors/${body.id}`);
  }
  await call('POST', '/api/v1/connectors/test', bodyOf('rest_api', 'basic'));
  await call('POST', '/api/v1/connectors', { ...bodyOf('rest_api', 'basic'), type: 'unknown' });
  await call('POST', '/api/v1/connectors', {
    ...bodyOf('rest_api', 'basic'),
    authConfig: { password: { deep: [marked('deep')] } },
    description: 5,
  });
  await failRuns([...ids.values()]);
  for (const path of [
    ...[
      'connectors?limit=200',
      'audit-logs?limit=200',
      'audit-logs?entityType=connector&limit=200',
      'pipelines?limit=200',
    ],
    ...['admin/dlq?limit=200', 'gitops/drift', 'system-health'],
  ]) {
    await call('GET', `/api/v1/${path}`);
  }
  await call('POST', '/api/v1/gitops/export', {});
  await call('GET', '/api/v1/gitops/export');

  assert.ok(JSON.stringify(peer.got('/echo')).includes(mark), 'a peer got a secret');
  assert.deepEqual(
    answers.filter((text) => text.includes(mark)).map((text) => text.slice(0, 300)),
    [],
    'answers',
  );
  assert.equal(JSON.stringify(server.log).includes(mark), false, 'the log');
  assert.deepEqual(await tablesHolding(server, mark), [], 'tables');
});

/** Runs pipelines over sources that can't be read until their jobs are dead letters. */
async function failRuns(connectorIds: readonly string[]): Promise<void> {
  const schemaId = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer' },
    fields: [{ name: 'id', displayName: 'Id', dataType: 'varchar', length: 64, isPrimaryKey: true, isNullable: false }],
  });
  for (const connectorId of connectorIds) {
    const made = await call<{ id: string }>('POST', '/api/v1/pipelines', {
      name: `From ${connectorId}`,
      connectorId,
      schemaId,
    });
    assert.equal(made.status, 201, made.text);
    const run = await call<{ id: string }>('POST', `/api/v1/pipelines/${made.body.id}/runs`);
    const facts = { jobId: '1', attempt: 1_000, dueAt: null, signal: new AbortController().signal };
    await server.jobs
      .get('pipeline.run')!
      .run({ runId: run.body.id }, facts, server.tenants[0].id)
      .catch((error: unknown) => answers.push(String(error instanceof Error ? error.stack : error)));
    await call('GET', `/api/v1/pipelines/${made.body.id}/runs/${run.body.id}/progress`);
    await call('POST', `/api/v1/connectors/${connectorId}/preview`, {});
  }
}
