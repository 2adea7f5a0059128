import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** Decisions go on while columns of the table that they read come and go, those that the plan names included. */

let server: TestServer;
let schemaId = '';
const joinedIds: string[] = [];
const many = 25_000;

async function create<Body = { id: string }>(path: string, body: object): Promise<Body> {
  const made = await server.call<Body>('POST', `/api/v1/${path}`, { body });
  assert.ok(made.status < 300, made.text);
  return made.body;
}

before(async () => {
  server = await startTestServer();
  const schema = await create<{ id: string; tableName: string }>('schemas', {
    name: 'people',
    displayName: 'People',
    autoEnrich: true,
    fields: [
      { name: 'customer_id', isPrimaryKey: true },
      { name: 'tier', defaultValue: 'gold' },
    ],
  });
  schemaId = schema.id;
  const [tenant] = server.tenants;
  await server.testDatabase.ownerQuery(
    `insert into t_${tenant.id.replaceAll('-', '')}.${schema.tableName} (tenant_id, customer_id)
     select $1::uuid, 'C' || n from generate_series(1, ${many}) n`,
    [tenant.id],
  );
  // Two joined tables: one row of the customer, and many.
  for (const [name, key, schemaType] of [
    ['homes', 'customer_id', 'customer'],
    ['visits', 'visit', 'event'],
  ] as const) {
    const joined = await create<{ id: string; tableName: string }>('schemas', {
      name,
      displayName: name,
      schemaType,
      linkedSchemaId: schemaId,
      joinMapping: { parentField: 'customer_id', childField: 'customer_id' },
      summaryColumns: schemaType === 'event' ? ['mood'] : null,
      autoEnrich: true,
      fields: [
        { name: key, isPrimaryKey: true },
        ...(key === 'visit' ? [{ name: 'customer_id' }] : []),
        { name: 'town' },
      ],
    });
    joinedIds.push(joined.id);
    await server.testDatabase.ownerQuery(
      `insert into t_${tenant.id.replaceAll('-', '')}.${joined.tableName} (tenant_id, ${key}, ${key === 'visit' ? 'customer_id, ' : ''}town)
       select $1::uuid, 'C' || n, ${key === 'visit' ? "'C' || n, " : ''}'t' from generate_series(1, ${many}) n`,
      [tenant.id],
    );
  }
  const channel = await create('channels', { name: 'Mail', channelType: 'email' });
  const offer = await create('offers', { name: 'A', status: 'active' });
  await create('creatives', {
    name: 'a',
    offerId: offer.id,
    channelId: channel.id,
    status: 'active',
    content: { subject: '{tier} {mood}', body: '{town} {visits_count} {visits_mood_last} {visits_mood_sum}' },
  });
  const flow = await create('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'i', type: 'inventory', config: {} },
        { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      ],
      flowConfig: {},
    },
  });
  await create('decision-flows/publish', { id: flow.id });
});
after(() => server?.close());

async function contentOf(customerId: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, decisionFlowKey: 'main' },
  });
  assert.equal(status, 200, text);
  assert.equal(body.decisions.length, 1, text);
  return body.decisions[0]?.content ?? {};
}
const decide = async (customerId: string): Promise<unknown> => (await contentOf(customerId)).subject;

const fieldsUrl = '/api/v1/schemas/fields';
async function addField(body: object, to = schemaId): Promise<string> {
  return (await create('schemas/fields', { schemaId: to, dataType: 'text', ...body })).id;
}
async function dropField(id: string): Promise<void> {
  const dropped = await server.call('DELETE', `${fieldsUrl}?fieldId=${id}`);
  assert.equal(dropped.status, 204, dropped.text);
}

test('answers every decision while columns are added and dropped', async () => {
  assert.equal(await decide('C1'), 'gold ');
  const seen = new Set<unknown>();
  let isOver = false;
  let decided = 0;
  const loop = async (first: number): Promise<void> => {
    for (let at = first; !isOver; at = (at + 7) % many) {
      seen.add(await decide(`C${at + 1}`));
      decided += 1;
    }
  };
  const loops = [loop(0), loop(1), loop(2), loop(3)];
  const [plain] = await Promise.all([
    (async () => {
      let last = '';
      for (let round = 0; round < 4; round += 1) {
        // Another type each time, under the name that the plan reads.
        const dataType = round % 2 === 0 ? 'text' : 'integer';
        const id = await addField({ name: 'mood', dataType, defaultValue: String(round) });
        await addField({ name: `token_${round}`, dataType: 'uuid', isUnique: true, defaultValue: 'gen_random_uuid()' });
        last = await decide('C5').then(String);
        await dropField(id);
      }
      const { body } = await server.call<{ id: string; name: string }[]>('GET', `${fieldsUrl}?schemaId=${schemaId}`);
      const tier = body.find(({ name }) => name === 'tier');
      assert.ok(tier);
      await dropField(tier.id);
      isOver = true;
      return last;
    })().finally(() => {
      isOver = true;
    }),
    ...loops,
  ]);
  assert.equal(plain, 'gold 3');
  assert.ok(decided > 20, `${decided} decisions`);
  for (const subject of seen) assert.match(String(subject), /^(gold )?\s?[0-3]?$/);
  assert.equal(String(await decide('C1')).trim(), '');
});

test('answers every decision while columns of joined tables change, under the names of figures', async () => {
  const [homes, visits] = joinedIds as [string, string];
  let isOver = false;
  let decided = 0;
  const bodies = new Set<string>();
  const loop = async (first: number): Promise<void> => {
    for (let at = first; !isOver; at = (at + 7) % many) {
      bodies.add(String((await contentOf(`C${at + 1}`)).body));
      decided += 1;
    }
  };
  const change = async (): Promise<void> => {
    for (let round = 0; round < 4; round += 1) {
      const dataType = round % 2 === 0 ? 'text' : 'integer';
      const mood = await addField({ name: 'mood', dataType, defaultValue: String(round) }, visits);
      const sum = dataType === 'integer' ? String(round) : '';
      assert.equal((await contentOf('C5')).body, `t 1 ${round} ${sum}`);
      const token = { name: `token_${round}`, dataType: 'uuid', isUnique: true, defaultValue: 'gen_random_uuid()' };
      await Promise.all([dropField(mood), addField(token, homes)]);
    }
    // Without its column the link is not active: the decisions go on without the rows.
    const { body } = await server.call<{ id: string; name: string }[]>('GET', `${fieldsUrl}?schemaId=${visits}`);
    await dropField(body.find(({ name }) => name === 'customer_id')!.id);
  };
  await Promise.all([
    change().finally(() => {
      isOver = true;
    }),
    ...[0, 1, 2, 3].map(loop),
  ]);
  assert.ok(decided > 20, `${decided} decisions`);
  for (const body of bodies) assert.match(body, /^t 1? ?[0-3]? ?[0-3]?$/, body);
  assert.equal((await contentOf('C1')).body, 't   ');
});
