import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createHotPath, systemActor } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { formats } from '../../../../platform/formats.ts';
import { newId } from '../../../../platform/ids.ts';
import { createOutboxDispatcher, readStream } from '../../../operations/stream/index.ts';
import { interactionRecorded } from '../../interactions/index.ts';
import { decisionMade } from '../decisions.events.ts';

/** Every event type that decisions and responses write. */
const decisionEvents = [decisionMade, interactionRecorded];

/**
 * Checks the events of the decision path against their schemas: the stream of real decisions and responses, with every
 * optional member present and absent.
 */

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

async function ok<Body = Record<string, string>>(method: string, path: string, body: object): Promise<Body> {
  const answer = await server.call<Body>(method, `/api/v1/${path}`, { body });
  assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const ajv = new Ajv2020({
  strict: false,
  formats: Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format.test])),
});
const checks = new Map(decisionEvents.map(({ type, envelope }) => [type, ajv.compile(envelope)]));

interface Written {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Returns every event so far, each checked against its schema. */
async function written(): Promise<Written[]> {
  const path = createHotPath({ url: server.testDatabase.url, connections: 1 });
  const zoneOf = async () => 'UTC';
  await createOutboxDispatcher(server.database, path, {
    zoneOf,
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  await path.close();
  const rows = await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
    readStream(tx, 0, 1_000),
  );
  const events = rows
    .flatMap((row) => row.events.flatMap((text): Written[] => (text === null ? [] : [JSON.parse(text)])))
    // Other features test their own events.
    .filter(({ type }) => type !== 'flow.published.v1' && type !== 'catalogue.changed.v1');
  for (const event of events) {
    const check = checks.get(event.type);
    assert.ok(check, `${event.type} is described nowhere`);
    assert.ok(check(event), `${JSON.stringify(check.errors)} in ${JSON.stringify(event)}`);
  }
  return events;
}

/** Returns a payload's paths with the values seen there: `channel: null`, `channel: value`, `items: none`. */
function sightings(value: unknown, path: string, into: Set<string>): void {
  if (Array.isArray(value)) {
    into.add(`${path}: ${value.length === 0 ? 'none' : 'some'}`);
    for (const item of value) sightings(item, `${path}[]`, into);
  } else if (typeof value === 'object' && value !== null && !/^(context|attributes)$/.test(path)) {
    for (const [key, inner] of Object.entries(value)) sightings(inner, path === '' ? key : `${path}.${key}`, into);
  } else into.add(`${path}: ${value === null ? 'null' : typeof value === 'boolean' ? value : 'value'}`);
}

/** Returns what a schema allows, in the form of `sightings`. */
function possibilities(schema: unknown, path: string): string[] {
  const { type, properties, items, anyOf, const: constant } = schema as Record<string, unknown>;
  if (Array.isArray(anyOf) && anyOf.some((member) => member.type === 'null'))
    return [`${path}: null`, `${path}: value`];
  if (type === 'boolean') return [`${path}: true`, `${path}: false`];
  if (type === 'array') return [`${path}: none`, `${path}: some`, ...possibilities(items, `${path}[]`)];
  if (type === 'object') {
    return Object.entries(properties as object).flatMap(([key, inner]) =>
      possibilities(inner, path === '' ? key : `${path}.${key}`),
    );
  }
  return constant === undefined ? [`${path}: value`] : [];
}

test('every event of decisions and responses matches its schema, with all optional parts and with none', async () => {
  const email = await ok('POST', 'channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
  const phone = await ok('POST', 'channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' });
  const top = await ok('POST', 'placements', { name: 'Top', channelId: email.id });
  const offers: string[] = [];
  for (let n = 0; n < 2; n++) {
    const offer = await ok('POST', 'offers', { name: `Offer "${n}" \u2028 ü`, status: 'active', priority: 90 - n });
    offers.push(offer.id!);
    for (const channel of [email, phone]) {
      await ok('POST', 'creatives', {
        name: `${channel.name} ${n}`,
        offerId: offer.id,
        channelId: channel.id,
        status: 'active',
      });
    }
    await ok('POST', 'creatives', {
      name: `top ${n}`,
      offerId: offer.id,
      channelId: email.id,
      placementId: top.id,
      status: 'active',
    });
  }
  const bare = await ok('POST', 'offers', { name: 'Without a creative', status: 'active', priority: 1 });
  const flow = await ok('POST', 'decision-flows', { key: 'main', name: 'Main' });
  const publish = async (nodes: object[]) => {
    await ok('PUT', 'decision-flows', { id: flow.id, draftConfig: { version: 2, nodes, flowConfig: {} } });
    await ok('POST', 'decision-flows/publish', { id: flow.id });
  };
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  await publish(nodes);
  const recommend = (body: object) => ok<RecommendAnswer>('POST', 'recommend', body);
  const odd = 'Zoë "O\'Neil" \\ 😀 \u2028x';
  const shown = await recommend({ customerId: odd, channel: 'email', placement: 'Top', limit: 2, requestId: newId() });
  assert.ok(shown.count > 0);
  const reserved = await recommend({ customerId: 'C-2', channelId: phone.id, limit: 1 });
  assert.equal(reserved.count, 1);
  await recommend({ customerId: 'C-3' });
  await recommend({ customerId: 'C-3', excludeOffers: [...offers, bare.id] });
  await recommend({ sessionId: 'anonymous_one', channel: 'email' });

  const respond = (body: object) => ok('POST', 'respond', body);
  const full = {
    conversionValue: 12.5,
    currency: 'EUR',
    direction: 'inbound',
    context: { page: odd },
    attributes: { nested: { note: odd } },
    outcomeDetails: { note: odd },
  };
  await respond({ recommendationId: shown.recommendationId, rank: 1, outcome: 'click', ...full });
  await respond({ recommendationId: shown.recommendationId, rank: 1, outcome: 'dismiss' });
  await respond({ recommendationId: reserved.recommendationId, outcome: 'convert', conversionValue: 0 });
  await respond({ customerId: 'C-4', offerId: bare.id, outcome: 'impression' });
  await respond({ customerId: 'C-4', offerId: bare.id, outcome: 'click', channelId: email.id, placementId: top.id });

  const events = await written();
  for (const { type, payload } of decisionEvents) {
    const of = events.filter((event) => event.type === type);
    const seen = new Set<string>();
    for (const event of of) sightings(event.payload, '', seen);
    const missing = possibilities(payload, '').filter((possible) => !seen.has(possible));
    assert.deepEqual(missing, neverYet[type], `${type}: ${of.length} events`);
  }
});

/** What no decision or response can contain today. A feature that adds one removes its lines here. */
const neverYet: Readonly<Record<string, readonly string[]>> = {
  'decision.made.v1': [],
  'interaction.recorded.v1': ['offerId: null', 'campaignId: value', 'journeyId: value'],
};
