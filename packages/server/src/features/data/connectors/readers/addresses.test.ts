import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { connectorTypeNames, connectorTypes } from '@arbiter/contract';
import { missingDriver, testDrivers } from '../../../../main/sources/test-drivers.ts';
import { createOutbound } from '../../../../platform/outbound/outbound.ts';
import { createOutboundSockets } from '../../../../platform/outbound/outbound-sockets.ts';
import { createAwsRoles } from '../../../../platform/sources/aws-roles.ts';
import { createSources } from '../sources.ts';
import { readableTypes } from './source-kinds.ts';
import { sourceOf } from './test-sources.ts';

/** No source reaches an address inside (docs/design/quality.md T8). */

const deps = { importFolder: null, endpoints: {}, drivers: testDrivers, awsRoles: createAwsRoles({ roles: {} }) };

// Before the hooks: otherwise tests defined earlier would start in the meantime.
const withoutDriver = await missingDriver('sqlserver');

let canary: Server;
let connections = 0;
before(async () => {
  canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  canary.listen(0, '::');
  await once(canary, 'listening');
});
after(() => void canary?.close());

const hosts = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::]'],
  ...['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '169.254.169.254', '[fd00:ec2::254]'],
  ...['100.64.0.1', '100.100.100.200', '168.63.129.16', '10.0.0.1', '172.16.0.1', '192.168.0.1', '224.0.0.1'],
];

/** Settings of a type, without an address. */
const others: Readonly<Record<string, unknown>> = {
  ...{ port: 5432, database: 'x', sourceTable: 'x', username: 'u', password: 'p', apiKey: 'k', accessToken: 't' },
  ...{ index: 'x', httpPath: '/sql/1.0/warehouses/x', topic: 'x' },
  ...{ bucket: 'reports', accessKeyId: 'k', secretAccessKey: 's', privateKey: 'k' },
};

const reachable = Object.entries(connectorTypes).flatMap(([type, info]) => {
  const name = connectorTypeNames.find((each) => each === type);
  const keys = [...info.required.flat(), ...info.optional].filter((key) =>
    ['host', 'url', 'endpoint', 'instanceUrl', 'bootstrapServers'].includes(key),
  );
  return name !== undefined && readableTypes.has(type) ? keys.map((key) => ({ type: name, key })) : [];
});

function addressIn(key: string, host: string, port: number): object {
  if (key === 'host') return { host, port };
  return { [key]: key === 'bootstrapServers' ? `${host}:${port}` : `http://${host}:${port}/` };
}

test('types that can be read have addresses to test', () => assert.ok(reachable.length >= 12));

for (const { type, key } of reachable) {
  const skip = ['sqlserver', 'azure_sql'].includes(type) && withoutDriver;
  test(`${key} of ${type} cannot reach internal addresses`, { skip }, async () => {
    const outbound = createOutbound({ allowHttp: true });
    const sources = createSources({ ...deps, outbound, sockets: createOutboundSockets({}) });
    const { port } = canary.address() as AddressInfo;
    for (const host of hosts) {
      const address = addressIn(key, host, port);
      const source = sourceOf(type, { ...others, ...address });
      assert.equal((await sources.probe(source)).reason, 'blocked_address', host);
      const reader = sources.open({ ...source, id: `${source.id} read` });
      const reading = async () => {
        for await (const _batch of reader.read({ cursor: null, signal: new AbortController().signal, rowLimit: 1 }));
      };
      await assert.rejects(reading, { reason: 'blocked_address' }, host);
    }
    await outbound.close();
    assert.equal(connections, 0);
  });
}

test('a name that changes its address reaches nothing internal', async () => {
  let turn = 0;
  const resolve = async () => (turn++ % 2 === 0 ? ['127.0.0.1'] : ['93.184.216.34', '127.0.0.1']);
  const outbound = createOutbound({ allowHttp: true, resolve });
  const sources = createSources({
    outbound,
    sockets: createOutboundSockets({ resolve }),
    ...deps,
  });
  const { port } = canary.address() as AddressInfo;
  for (const { type, key } of reachable) {
    if (['sqlserver', 'azure_sql'].includes(type) && withoutDriver !== false) continue;
    for (let round = 0; round < 4; round++) {
      const address = addressIn(key, 'flips.example', port);
      assert.equal((await sources.probe(sourceOf(type, { ...others, ...address }))).reason, 'blocked_address', type);
    }
  }
  assert.ok(turn > reachable.length);
  await outbound.close();
  assert.equal(connections, 0);
});
