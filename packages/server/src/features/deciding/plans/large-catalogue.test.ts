import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

let server: TestServer;
const offers = 5_000;
const flow = 'large';
/** Decides among one of the offers; its plan holds all of them. */
const narrowFlow = 'narrow';

const owner = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<Row & Record<string, unknown>>(text, values);

async function decide(customerId: string, decisionFlowKey = flow): Promise<RecommendAnswer> {
  const body = { customerId, channel: 'email', limit: 1, decisionFlowKey };
  const { status, body: answer, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(status, 200, text);
  return answer;
}

async function replay(answer: RecommendAnswer): Promise<boolean> {
  const path = `/api/v1/decisions/${answer.requestId}/replay`;
  const { status, body, text } = await server.call<{ identical: boolean }>('POST', path, { body: {} });
  assert.equal(status, 200, text);
  return body.identical;
}

/** Processor time of this thread, in ms: what other processes of the machine do is not in it. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Turns of the event loop in which the work did something, and the processor time of all of them and of the longest. */
async function turnsOf(work: () => Promise<unknown>): Promise<{ turns: number; totalMs: number; longestMs: number }> {
  const seen = { turns: 0, totalMs: 0, longestMs: 0 };
  let before = threadMs();
  // Once in each turn that takes a millisecond.
  const turn = setInterval(() => {
    const now = threadMs();
    if (now - before > 0.5) seen.turns += 1;
    seen.totalMs += now - before;
    seen.longestMs = Math.max(seen.longestMs, now - before);
    before = now;
  }, 1);
  try {
    await work();
  } finally {
    clearInterval(turn);
  }
  return seen;
}

const counts = async () =>
  (
    await owner<{ plans: number; pieces: number; bytes: number }>(
      `select (select count(*)::int from arbiter.plans) as plans, (select count(*)::int from arbiter.plan_pieces) as pieces,
         ((select sum(length(body)) from arbiter.plans) + (select sum(length(body)) from arbiter.plan_pieces))::int as bytes`,
    )
  )[0]!;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  const tenantId = server.tenants[0].id;
  const categoryId = (await server.createRecord('categories', { name: 'Cards' })).id!;
  const channelId = (
    await server.createRecord('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' })
  ).id!;
  const offer = await server.createRecord('offers', { name: 'The one', categoryId, status: 'active', priority: 1 });
  const flows = { [flow]: {}, [narrowFlow]: { scope: 'offers', offerIds: [offer.id] } };
  for (const [key, config] of Object.entries(flows)) {
    const nodes = [
      { id: 'i', type: 'inventory', config },
      { id: 'm', type: 'match_creatives', config: {} },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      { id: 'r', type: 'response', config: {} },
    ];
    const made = await server.createRecord('decision-flows', {
      key,
      name: key,
      draftConfig: { version: 2, nodes, flowConfig: {} },
    });
    await server.publishFlow(made.id);
  }
  await owner(
    `with made as (
       insert into arbiter.offers (tenant_id, id, name, status, category_id, priority, short_desc, tags, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'Offer ' || n, 'active', $2, n % 80, 'Offer number ' || n, '["a","b"]', 1, now(), now()
       from generate_series(1, ${offers}) n returning tenant_id, id, name)
     insert into arbiter.creatives (tenant_id, id, name, offer_id, channel_id, status, template_type, content, personalization,
       constraints, weight, version, created_at, updated_at)
     select tenant_id, gen_random_uuid(), name || ' ' || k, id, $3, 'active', 'email_html',
       jsonb_build_object('subject', name || ' for {name}', 'body', 'Dear {name}, ' || repeat('more ', 20)),
       '[{"variable":"name","source":"customer.name","fallback":"you"}]', '{}', 100, 1, now(), now()
     from made, generate_series(1, 2) k`,
    [tenantId, categoryId, channelId],
  );
});
after(() => server.close());

test('reading and compiling thousands of offers yields to others', async () => {
  const { turns, totalMs, longestMs } = await turnsOf(() => decide('A', narrowFlow));
  const told = `${turns} turns, ${totalMs.toFixed(0)} ms in all, longest ${longestMs.toFixed(0)} ms`;
  assert.ok(turns > 30, told);
  assert.ok(longestMs < totalMs / 4, told);
});

test('others decide while thousands of changed offers are read and compiled', async () => {
  const key = server.tenants[1]!.keys.admin;
  const decideSmall = async (): Promise<void> => {
    const body = { customerId: 'Other', channel: 'email', limit: 1, dryRun: true };
    const { status, text } = await server.call('POST', '/api/v1/recommend', { body, key });
    assert.equal(status, 200, text);
  };
  const offer = await server.call('POST', '/api/v1/offers', { body: { name: 'Small', status: 'active' }, key });
  assert.equal(offer.status, 201, offer.text);
  await decideSmall();
  await owner(`update arbiter.offers set short_desc = short_desc || '!' where tenant_id = $1`, [server.tenants[0].id]);
  await server.createRecord('categories', { name: 'Raises the version' });
  let small = 0;
  let isDone = false;
  const large = decide('Meanwhile').finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await decideSmall();
    if (!isDone) small += 1;
  }
  await large;
  // Each needs several turns of the event loop.
  assert.ok(small >= 5, `${small} decisions of the other tenant meanwhile`);
});

test('a batch of decisions among thousands of offers yields to others', async () => {
  const customers = Array.from({ length: 16 }, (_, at) => `Batch ${at}`);
  await decide('Batch');
  const { turns, totalMs, longestMs } = await turnsOf(() => Promise.all(customers.map((id) => decide(id))));
  const told = `${turns} turns, ${totalMs.toFixed(0)} ms in all, longest ${longestMs.toFixed(0)} ms`;
  assert.ok(longestMs < totalMs / 3, told);
});

test('a change applies at once, reads and writes little, and both plans replay', async () => {
  const old = await decide('B');
  const before = await counts();
  const offerId = old.decisions[0]!.offerId;
  const changed = await server.call('PUT', '/api/v1/offers', { body: { id: offerId, shortDesc: 'changed' } });
  assert.equal(changed.status, 200, changed.text);
  const fresh = await decide('C');
  assert.equal(fresh.decisions[0]!.offerId, offerId);
  assert.equal(fresh.decisions[0]!.shortDesc, 'changed');
  const now = await counts();
  assert.equal(now.plans, before.plans + 1);
  assert.equal(now.pieces, before.pieces + 1, 'one piece holds the changed offer');
  assert.ok(now.bytes - before.bytes < before.bytes / 20, `${now.bytes - before.bytes} of ${before.bytes} bytes`);
  assert.equal(await replay(old), true);
  assert.equal(await replay(fresh), true);
});

test('sees added, deleted and restored offers and creatives', async () => {
  const top = (await decide('D')).decisions[0]!;
  const added = await server.createRecord('offers', { name: 'On top', status: 'active', priority: 100 });
  assert.equal((await decide('E')).decisions[0]!.offerId, top.offerId, 'an offer without creative does not match');
  const channelId = top.channelId;
  const creative = { name: 'On top', offerId: added.id, channelId, status: 'active', content: { subject: 'Hello' } };
  const made = await server.createRecord('creatives', creative);
  assert.equal((await decide('F')).decisions[0]!.offerId, added.id);
  const changed = await server.call('PUT', '/api/v1/creatives', { body: { id: made.id, content: { subject: 'Bye' } } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual((await decide('G')).decisions[0]!.content, { subject: 'Bye' });
  const gone = await server.call('DELETE', `/api/v1/offers/${added.id}`);
  assert.equal(gone.status, 200, gone.text);
  assert.equal((await decide('H')).decisions[0]!.offerId, top.offerId);
});

test("a plan with a changed or missing piece doesn't replay", async () => {
  const offerId = (await decide('I')).decisions[0]!.offerId;
  // A plan that was not opened before.
  await server.call('PUT', '/api/v1/offers', { body: { id: offerId, shortDesc: 'changed once more' } });
  const answer = await decide('I');
  const corrupt = async () => {
    const path = `/api/v1/decisions/${answer.requestId}/replay`;
    const { status, body } = await server.call<{ code: string }>('POST', path, { body: {} });
    assert.deepEqual([status, body.code], [409, 'record_corrupt']);
  };
  await owner(`update arbiter.plan_pieces set body = (select body from arbiter.plan_pieces order by hash limit 1)`);
  await corrupt();
  await owner('delete from arbiter.plan_pieces');
  await corrupt();
});
