import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { giveKeyTo } from '../../../packages/server/src/features/identity/credentials/test-owner.ts';
import type { TestServer } from '../../../packages/server/src/main/test-server.ts';
import type { Body, Made } from './world.ts';

type Make = (path: string, body: Body) => Promise<string>;
type Must = (method: string, path: string, body: unknown, status: number) => Promise<Made>;

/**
 * Adds a joined schema with rows, a segment, and content items published by a second person. The people are C0 to C39.
 */
export async function addDataAndContent(make: Make, must: Must, server: TestServer, people: string) {
  const column = (name: string, dataType: string, more: Body = {}) => ({ name, dataType, ...more });
  const purchases = await make('schemas', {
    name: 'purchases',
    displayName: 'Purchases',
    schemaType: 'event',
    fields: [
      column('buyer', 'varchar', { length: 32 }),
      column('amount', 'numeric', { precision: 12, scale: 2 }),
      column('article', 'varchar', { length: 32 }),
    ],
  });
  const rows = Array.from({ length: 60 }, (_, at) => ({
    buyer: `C${(at * 3) % 40}`,
    amount: `${(at * 71) % 900}.${at % 10}0`,
    article: ['book', 'lamp', 'chair'][at % 3],
  }));
  await must('POST', `schemas/${purchases}/data`, { rows }, 201);
  await make('schema-joins', {
    name: 'what they bought',
    primarySchemaId: people,
    primaryKey: 'customer_id',
    foreignSchemaId: purchases,
    foreignKey: 'buyer',
    autoEnrich: true,
    summaryColumns: ['amount', 'article'],
  });
  const segment = await make('segments', {
    name: 'Elders',
    baseSchemaId: people,
    filters: { logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 40 }] },
  });
  const content = {
    subject: '{offer.name} for {job}',
    ctaUrl: 'https://example.com/{attributes.page}',
    body: '<p>Dear {job}, {{attributes.page|home}}</p>',
  };
  const personalization = { job: { source: 'customer.job', fallback: 'you' } };
  const items = [
    await make('content', { name: 'Whole texts', channelType: 'email', content, personalization }),
    await make('content', {
      name: 'Blocks',
      channelType: 'email',
      blocks: [
        { type: 'heading', props: { text: 'For {job}', level: 2 } },
        { type: 'text', props: { markdown: 'Take **{offer.name}** from {customer.age}' } },
        { type: 'button', props: { text: 'Go', url: 'https://example.com/?o={offer.id}' } },
      ],
      personalization,
    }),
  ];
  const second = await keyOfAnotherPerson(must, server);
  for (const id of items) {
    await must('POST', `content/${id}/submit`, {}, 200);
    for (const step of ['approve', 'publish']) {
      const done = await server.call('POST', `/api/v1/content/${id}/${step}`, { body: {}, key: second });
      assert.equal(done.status, 200, done.text);
    }
  }
  return { segment, items };
}

async function keyOfAnotherPerson(must: Must, server: TestServer): Promise<string> {
  const made = await must('POST', 'api-keys', { name: 'second person', scopes: ['read', 'write'] }, 201);
  await giveKeyTo(server.testDatabase, { tenantId: server.tenants[0].id, keyId: made.id, person: randomUUID() });
  assert.ok(typeof made.key === 'string');
  return made.key;
}

interface Named {
  readonly email: string;
  readonly web: string;
  readonly cards: string;
  readonly loans: string;
  readonly offers: readonly string[];
  readonly segment: string;
}

/** Adds rules and policies of the types that came with these migrations. */
export async function addGates(
  rule: (name: string, ruleType: string, stage: string, config: Body, more?: Body) => Promise<string>,
  policy: (name: string, ruleType: string, config: Body, more?: Body) => Promise<string>,
  { email, web, cards, loans, offers, segment }: Named,
): Promise<void> {
  await rule('Here for long', 'recency_check', 'match', { attribute: 'customer.joined', minDays: 900, penalty: 0.6 });
  await rule('Bought before', 'attribute_condition', 'match', {
    attribute: 'customer.purchases_count',
    operator: 'gte',
    value: 2,
    penalty: 0.8,
  });
  const on = (at: number) => ({ scope: 'offer', scopeId: offers[at] });
  await rule('Elders only', 'segment_required', 'eligibility', { requiredSegments: [segment] }, on(10));
  await policy('Not for elders', 'segment_exclusion', { excludeSegments: ['Elders'] }, on(11));
  await policy('By day', 'time_window', { startHour: 6, endHour: 23, zonePath: 'customer.zone' }, on(1));
  await policy('One of two', 'mutual_exclusion', { excludeOfferIds: [offers[2], offers[4]], lookbackDays: 2 }, on(2));
  await policy('Two channels', 'cross_channel_cap', {
    maxTotal: 60,
    periodType: 'weekly',
    appliesAcross: [email, web],
  });
  await policy('In all', 'customer_total_cap', { maxTotal: 80 });
  await policy('Few cards', 'offer_category_cap', {
    targetCategory: cards,
    maxTotal: 30,
    periodType: 'monthly',
    filterByCategory: true,
  });
  await policy('Not again', 'outcome_based', {
    afterOutcome: ['dismiss', 'convert'],
    suppressForDays: 2,
    per: 'offer',
  });
  await policy('Loans rest', 'category_suppression', {
    categoryId: loans,
    afterOutcome: 'dismiss',
    suppressionDays: 1,
  });
}
