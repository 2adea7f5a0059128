import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PipelineProgress } from '@arbiter/contract';
import { startTestServer } from '../../../main/test-server.ts';
import { runQueue } from '../../outreach/campaigns/test-campaigns.ts';
import { startHttpPeer } from '../connectors/readers/test-http-peer.ts';

const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });

test('a pipeline from Segment requests only the keys of its rows', async () => {
  const requestedKeys: string[] = [];
  const peer = await startHttpPeer(({ url }) => {
    const [, key = ''] = /user_id:([^/]+)\/traits$/.exec(url.pathname) ?? [];
    requestedKeys.push(decodeURIComponent(key));
    if (Number(key) % 100 === 0) return { status: 404, body: {} };
    return { body: { traits: { plan: `plan ${key}` }, cursor: { has_more: false } } };
  });
  const config = { CONNECTOR_ENDPOINTS: { segment: peer.base }, OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'] };
  const server = await startTestServer({ config: { ...config, OUTBOUND_HTTP_OK: true } });
  try {
    const schemaId = await server.create('schemas', {
      ...{ name: 'users', displayName: 'Users', schemaType: 'customer' },
      fields: [field('user_id', 'integer', { isPrimaryKey: true, isNullable: false }), field('plan', 'text')],
    });
    const ids = Array.from({ length: 1201 }, (_none, at) => at + 1);
    await server.create(`schemas/${schemaId}/data`, { rows: ids.map((id) => ({ user_id: id })) });
    const connectorId = await server.create('connectors', {
      ...{ name: 'Segment', type: 'segment', config: { spaceId: 's1' }, authConfig: { accessToken: 't' } },
    });
    const pipelineId = await server.create('pipelines', { name: 'Traits', connectorId, schemaId, loadMode: 'upsert' });
    const runId = await server.create(`pipelines/${pipelineId}/runs`, {});
    await runQueue(server, 'pipeline.run');
    const path = `/api/v1/pipelines/${pipelineId}/runs/${runId}/progress`;
    const { body } = await server.call<PipelineProgress>('GET', path);
    assert.deepEqual([body.status, body.rowsIn, body.rowsOut], ['completed', 1189, 1189], JSON.stringify(body));
    // In pages of 500, ten at a time.
    assert.deepEqual(
      requestedKeys.map(Number).toSorted((a, b) => a - b),
      ids,
    );
    const [{ n }] = (await server.testDatabase.ownerQuery<{ n: number }>(
      `select count(*)::int as n from "t_${server.tenants[0].id.replaceAll('-', '')}".ds_users where plan = 'plan ' || user_id`,
    )) as [{ n: number }];
    assert.equal(n, 1189);
  } finally {
    await server.close();
    peer.close();
  }
});
