// Twins: tenants with the same catalogue that get the same requests, one of which had a policy from the start. A backtest of
// the other, which only tries the policy, must say what the twin really did (docs/design/lead.md 2).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { runStudies } from '../../packages/server/src/features/deciding/studies/test-studies.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';

/** Without the policy; with one that never blocks, so that its window is recorded; with the real one. */
type Twin = 'without' | 'counted' | 'capped';
const twins: readonly Twin[] = ['without', 'counted', 'capped'];

const policy = (maxPerWeek: number) => ({
  ruleType: 'frequency_cap',
  scope: 'global',
  config: { maxPerWeek, per: 'offer' },
});
const cap = 2;

let server: TestServer;
const tenants = {} as Record<Twin, TestTenant>;
/** Decisions and their offers by name, in the order of the requests. */
const log: Record<Twin, { readonly id: string; readonly offers: readonly string[] }[]> = {
  without: [],
  counted: [],
  capped: [],
};
const names = {} as Record<Twin, Map<string, string>>;

const call = async <Body>(twin: Twin, method: string, path: string, body?: object): Promise<Body> => {
  const options = { key: tenants[twin].keys.admin, ...(body === undefined ? {} : { body }) };
  const answer = await server.call<Body>(method, `/api/v1/${path}`, options);
  assert.ok(answer.status < 300, `${path}: ${answer.text}`);
  return answer.body;
};

async function makeCatalogue(twin: Twin): Promise<void> {
  const create = async (path: string, body: object) => (await call<{ id: string }>(twin, 'POST', path, body)).id;
  const channels = [
    await create('channels', { name: 'Web', channelType: 'web', impressionMode: 'implicit' }),
    await create('channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' }),
  ];
  names[twin] = new Map();
  for (let at = 0; at < 5; at += 1) {
    const name = `Offer ${at}`;
    const offerId = await create('offers', { name, status: 'active', priority: 90 - at });
    names[twin].set(offerId, name);
    for (const channelId of channels) {
      await create('creatives', { name: `${name} ${channelId}`, offerId, channelId, status: 'active', content: {} });
    }
  }
  if (twin !== 'without') await create('contact-policies', { name: 'Cap', ...policy(twin === 'capped' ? cap : 1000) });
  const nodes = ['inventory', 'match_creatives', 'qualify', 'contact_policy'].map((type) => ({
    id: type,
    type,
    config: {},
  }));
  const id = await create('decision-flows', {
    ...{ key: 'main', name: 'Main' },
    draftConfig: { version: 2, nodes: [...nodes, { id: 's', type: 'score', config: { method: 'priority_weighted' } }] },
  });
  await call(twin, 'POST', 'decision-flows/publish', { id });
}

before(async () => {
  server = await startTestServer({ tenants: twins.length });
  for (const [at, twin] of twins.entries()) {
    tenants[twin] = server.tenants[at]!;
    await makeCatalogue(twin);
    for (let request = 0; request < 120; request += 1) {
      const body = {
        customerId: `C${request % 13}`,
        channel: request % 4 === 0 ? 'phone' : 'web',
        limit: 1 + (request % 2),
      };
      const answer = await call<RecommendAnswer>(twin, 'POST', 'recommend', { ...body, decisionFlowKey: 'main' });
      const offers = answer.decisions.map(({ offerId }) => names[twin].get(offerId) ?? '');
      log[twin].push({ id: answer.recommendationId ?? '', offers });
    }
  }
});
after(() => server?.close());

/** Returns the offers of each decision after a change, in the order of the requests. */
async function answersAfter(twin: Twin, body: object): Promise<(readonly string[])[]> {
  const range = {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  };
  const { studyId } = await call<{ studyId: string }>(twin, 'POST', 'decision-flows/main/backtest', {
    ...{ version: 'draft', ...range, ...body },
  });
  await runStudies(server);
  const { key } = { key: tenants[twin].keys.admin };
  const study = await call<{ status: string; result: { notEvaluable: object; decisions: number } }>(
    twin,
    'GET',
    `studies/${studyId}`,
  );
  assert.deepEqual([study.status, study.result.decisions, study.result.notEvaluable], ['completed', 120, {}]);
  const { text } = await server.call('GET', `/api/v1/studies/${studyId}/rows`, { key });
  const changed = new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { decisionId: string; after: { offerId: string }[] })
      .map(({ decisionId, after: items }) => [decisionId, items.map(({ offerId }) => names[twin].get(offerId) ?? '')]),
  );
  return log[twin].map(({ id, offers }) => changed.get(id) ?? offers);
}

const { scope, ...fileOfCap } = policy(cap);
const policyFile = { ...fileOfCap, scopes: [{ scope }] };
const newPolicy = { overlay: [{ kind: 'contact-policies', key: 'Cap', patch: policyFile }] };
const smallerCap = { overlay: [{ kind: 'contact-policies', key: 'Cap', patch: { config: { maxPerWeek: cap } } }] };

test('the twins differ', () => {
  assert.deepEqual(
    log.counted.map(({ offers }) => offers),
    log.without.map(({ offers }) => offers),
  );
  assert.notDeepEqual(
    log.capped.map(({ offers }) => offers),
    log.without.map(({ offers }) => offers),
  );
});

test('counts a window that the records lack from history, as if it had existed from the start', async () => {
  const [fromHistory, fromRecords] = [
    await answersAfter('without', newPolicy),
    await answersAfter('counted', smallerCap),
  ];
  assert.notDeepEqual(
    fromHistory,
    log.without.map(({ offers }) => offers),
  );
  assert.deepEqual(fromHistory, fromRecords);
});

test('a chained backtest gives what a tenant with the policy did', async () => {
  const real = log.capped.map(({ offers }) => offers);
  assert.deepEqual(await answersAfter('without', { ...newPolicy, mode: 'chained' }), real);
  assert.deepEqual(await answersAfter('counted', { ...smallerCap, mode: 'chained' }), real);
});

test('a chained backtest without the policy gives what a tenant without it did', async () => {
  const without = { overlay: [{ kind: 'contact-policies', key: 'Cap', patch: null }], mode: 'chained' };
  assert.deepEqual(
    await answersAfter('capped', without),
    log.without.map(({ offers }) => offers),
  );
});
