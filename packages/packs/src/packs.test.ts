import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AlgorithmModelCreate,
  CategoryCreate,
  ChannelCreate,
  ContactPolicyCreate,
  CreativeCreate,
  DataSchemaCreate,
  DecisionFlowCreate,
  GeofenceCreate,
  JourneyCreate,
  OfferCreate,
  OutcomeTypeCreate,
  QualificationRuleCreate,
  SegmentCreate,
  SubCategoryCreate,
  TriggerCreate,
} from '@arbiter/contract';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { findPack, type Pack, packs, type ReferenceKind, readReference } from './index.ts';
import { dayMs } from './numbers.ts';

const anyId = '01930000-0000-7000-8000-000000000000';
const loadedAt = new Date('2026-11-20T12:00:00.000Z');

/** Fails with the validator's findings if `body` breaks `schema` or has an undeclared property. */
function accepts(schema: TSchema, body: object, label: string): void {
  const errors = Value.Errors(schema, body).map((error) => `${error.instancePath} ${error.message}`);
  assert.deepEqual(errors, [], label);
  const known = new Set(Object.keys((schema as { properties?: object }).properties ?? {}));
  const unknown = Object.keys(body).filter((key) => !known.has(key));
  assert.deepEqual(unknown, [], `${label} has properties that the contract does not know`);
}

/** A copy of a record with an id for each reference. */
const withIds = (record: object): object =>
  JSON.parse(JSON.stringify(record), (_, value) => (typeof value === 'string' && readReference(value) ? anyId : value));

function names(records: readonly { readonly name: string }[]): string[] {
  return records.map((record) => record.name);
}

function assertUnique(values: readonly string[], label: string): void {
  assert.equal(new Set(values).size, values.length, `${label} are unique`);
}

for (const pack of packs) {
  describe(`pack ${pack.key}`, () => {
    test('its records fit the create bodies of the contract', () => checkBodies(pack));
    test('its references name records of the pack', () => checkReferences(pack));
    test('its rows fit its columns, the same at every load but for instants', () => checkRows(pack));
    test('its words are complete: every token has a source', () => checkTokens(pack));
    test('its history is of its customers and creatives, in the 90 days before the load', () => checkHistory(pack));
    test('its outcomes are those that its truth says', () => checkTruth(pack));
    test('its linked rows belong to customers', () => checkLinks(pack));
  });
}

function checkBodies(pack: Pack): void {
  for (const { schema } of pack.schemas) accepts(DataSchemaCreate, schema, schema.name);
  for (const outcome of pack.outcomeTypes) accepts(OutcomeTypeCreate, outcome, outcome.key);
  for (const { baseSchemaName: _b, ...segment } of pack.segments) {
    accepts(SegmentCreate, { ...segment, baseSchemaId: anyId }, segment.name);
  }
  for (const model of pack.models) accepts(AlgorithmModelCreate, model, model.key);
  for (const { subCategories, ...category } of pack.categories) {
    accepts(CategoryCreate, category, category.name);
    for (const sub of subCategories) accepts(SubCategoryCreate, { ...sub, categoryId: anyId }, sub.name);
  }
  for (const channel of pack.channels) accepts(ChannelCreate, channel, channel.name);
  for (const { categoryName: _c, subCategoryName: _s, ...offer } of pack.offers) {
    accepts(OfferCreate, { ...offer, categoryId: anyId, subCategoryId: anyId }, offer.name);
    assert.equal(offer.mandatory ?? false, false, 'a pack holds no mandatory offer');
  }
  for (const { offerName: _o, channelName: _c, ...creative } of pack.creatives) {
    accepts(CreativeCreate, { ...creative, offerId: anyId, channelId: anyId }, creative.name);
  }
  for (const { scopeName, ...rule } of pack.qualificationRules) {
    accepts(QualificationRuleCreate, scopeName === undefined ? rule : { ...rule, scopeId: anyId }, rule.name);
  }
  for (const { scopeName, scopeNames: _s, ...policy } of pack.contactPolicies) {
    accepts(ContactPolicyCreate, scopeName === undefined ? policy : { ...policy, scopeId: anyId }, policy.name);
  }
  for (const { notes: _n, ...flow } of pack.flows) accepts(DecisionFlowCreate, flow, flow.key);
  for (const journey of pack.journeys ?? []) accepts(JourneyCreate, withIds(journey), journey.name);
  for (const trigger of pack.triggers ?? []) accepts(TriggerCreate, withIds(trigger), trigger.name);
  for (const geofence of pack.geofences ?? []) accepts(GeofenceCreate, withIds(geofence), geofence.name);
}

function checkReferences(pack: Pack): void {
  const subCategories = pack.categories.flatMap((category) =>
    category.subCategories.map((sub) => ({ name: sub.name, of: category.name })),
  );
  const targets: Readonly<Record<string, readonly string[]>> = {
    category: names(pack.categories),
    subcategory: names(subCategories),
    channel: names(pack.channels),
    offer: names(pack.offers),
    creative: names(pack.creatives),
    placement: pack.channels.flatMap((channel) => names(channel.placements ?? [])),
  };
  const known: Readonly<Record<ReferenceKind, readonly string[]>> = {
    category: names(pack.categories),
    channel: names(pack.channels),
    decisionFlow: pack.flows.map(({ key }) => key),
    journey: names(pack.journeys ?? []),
    metric: (pack.metrics ?? []).map(({ name }) => name),
    model: pack.models.map(({ key }) => key),
    offer: names(pack.offers),
    placement: pack.channels.flatMap(({ name, placements = [] }) => placements.map((each) => `${name}/${each.name}`)),
    segment: names(pack.segments),
  };
  const configs = [pack.qualificationRules, pack.contactPolicies, pack.flows.map((flow) => flow.draftConfig ?? {})];
  const outreach = [pack.journeys ?? [], pack.triggers ?? [], pack.geofences ?? []];
  for (const [, text] of JSON.stringify([configs, outreach]).matchAll(/"(@[a-zA-Z]+\/[^"]*)"/g)) {
    const reference = readReference(text ?? '');
    assert.ok(reference !== null && known[reference.kind].includes(reference.name), `${text} is a record of the pack`);
  }
  for (const segment of pack.segments) {
    assert.ok(
      pack.schemas.some(({ schema }) => schema.name === segment.baseSchemaName),
      segment.name,
    );
  }
  for (const list of [pack.categories, subCategories, pack.channels, pack.offers, pack.creatives]) {
    assertUnique(names(list), 'names');
  }
  assertUnique([...names(pack.qualificationRules), ...names(pack.contactPolicies)], 'names of rules and policies');
  for (const offer of pack.offers) {
    const sub = subCategories.find((candidate) => candidate.name === offer.subCategoryName);
    assert.equal(sub?.of, offer.categoryName, `${offer.name} stands in a sub-category of its category`);
  }
  for (const creative of pack.creatives) {
    assert.ok(targets.offer?.includes(creative.offerName), creative.name);
    assert.ok(targets.channel?.includes(creative.channelName), creative.name);
  }
  for (const { scopeNames } of pack.contactPolicies) {
    for (const { scope, name } of scopeNames ?? []) assert.ok(targets[scope]?.includes(name), name);
  }
  for (const { name, scope, scopeName } of [
    ...pack.qualificationRules,
    ...pack.contactPolicies.filter(({ scopeNames }) => scopeNames === undefined),
  ]) {
    if (scope === 'global') assert.equal(scopeName, undefined, name);
    else assert.ok(targets[scope ?? '']?.includes(scopeName ?? ''), `${name} names its ${scope}`);
  }
}

function checkRows(pack: Pack): void {
  for (const { schema, rows } of pack.schemas) {
    const fields = schema.fields ?? [];
    const first = [...rows(loadedAt)];
    const later = [...rows(new Date(loadedAt.getTime() + 40 * dayMs))];
    assert.ok(first.length > 0);
    assert.equal(later.length, first.length);
    assert.deepEqual([...rows(loadedAt)], first, 'the generator is deterministic');
    const dated = new Set(fields.filter((field) => /date|time/.test(field.dataType ?? '')).map((field) => field.name));
    const timeless = (row: object) => Object.entries(row).filter(([name]) => !dated.has(name));
    for (const [index, row] of first.entries()) {
      assert.deepEqual(Object.keys(row), names(fields), 'a row has the columns of its schema, in order');
      assert.deepEqual(timeless(later[index] ?? {}), timeless(row), 'only instants move');
      for (const field of fields) {
        const value = row[field.name];
        if (typeof value === 'string' && field.length != null) assert.ok(value.length <= field.length, field.name);
        if (field.dataType === 'integer') assert.ok(value === null || Number.isInteger(value), field.name);
        if (field.isNullable === false) assert.ok(value !== null && value !== undefined, field.name);
      }
    }
    const key = fields.find((field) => field.isPrimaryKey)?.name ?? '';
    assertUnique(
      first.map((row) => String(row[key])),
      'keys',
    );
  }
  assert.equal(customersOf(pack).keys().next().value, pack.firstCustomer);
}

/** Returns the customers by key, in order. */
function customersOf(pack: Pack) {
  const customers = pack.schemas.find(({ schema }) => schema.schemaType === 'customer');
  assert.ok(customers);
  return new Map([...customers.rows(loadedAt)].map((row) => [String(Object.values(row)[0]), row]));
}

function checkHistory(pack: Pack): void {
  const history = [...pack.history(loadedAt)];
  assert.deepEqual([...pack.history(loadedAt)], history, 'the generator is deterministic');
  const moved = [...pack.history(new Date(loadedAt.getTime() + 40 * dayMs))];
  assert.deepEqual(
    moved.map(({ at, ...same }) => ({ ...same, at: at.getTime() - 40 * dayMs })),
    history.map(({ at, ...same }) => ({ ...same, at: at.getTime() })),
    'only instants move',
  );
  const customers = customersOf(pack);
  const creatives = new Set(names(pack.creatives));
  const outcomes = new Set([...systemOutcomes, ...pack.outcomeTypes.map(({ key }) => key)]);
  for (const { customerId, creativeName, outcome, at, value } of history) {
    assert.ok(customers.has(customerId) && creatives.has(creativeName), `${customerId} ${creativeName}`);
    assert.ok(outcomes.has(outcome), outcome);
    assert.equal(value !== null, outcome === 'convert');
    const daysAgo = (loadedAt.getTime() - at.getTime()) / dayMs;
    assert.ok(daysAgo >= 0 && daysAgo < 90, `${daysAgo} days ago`);
    assert.ok(customerId !== pack.firstCustomer || daysAgo > 30, 'the first customer is left in peace for a month');
  }
  assert.ok(history.some(({ customerId }) => customerId === pack.firstCustomer));
  const latest = Math.max(...history.map(({ at }) => at.getTime()));
  assert.ok(loadedAt.getTime() - latest < dayMs / 2, 'it reaches up to the load');
  for (const { key } of pack.outcomeTypes)
    assert.ok(
      history.some(({ outcome }) => outcome === key),
      key,
    );
  for (const { name } of pack.creatives)
    assert.ok(
      history.some(({ creativeName }) => creativeName === name),
      name,
    );
}

/** Outcomes that every tenant has and the packs use. */
const systemOutcomes = [
  'impression',
  'click',
  'accept',
  'requested_info',
  'convert',
  'dismiss',
  'not_interested',
  'deferred',
  'unsubscribe',
];
const negative = ['dismiss', 'not_interested', 'deferred', 'unsubscribe'];

/** Checks for each offer that the share of positive responses matches the truth for the contacted customers. */
function checkTruth(pack: Pack): void {
  const customers = customersOf(pack);
  const creatives = new Map(pack.creatives.map((creative) => [creative.name, creative]));
  const sums = new Map<string, { shown: number; good: number; expected: number; variance: number }>();
  for (const { customerId, creativeName, outcome } of pack.history(loadedAt)) {
    const { offerName = '', channelName = '' } = creatives.get(creativeName) ?? {};
    const sum = sums.get(offerName) ?? { shown: 0, good: 0, expected: 0, variance: 0 };
    sums.set(offerName, sum);
    if (outcome === 'impression') {
      const chance = pack.truth(customers.get(customerId) ?? {}, offerName, channelName);
      assert.ok(chance > 0 && chance < 1);
      sum.shown += 1;
      sum.expected += chance;
      sum.variance += chance * (1 - chance);
    } else if (!negative.includes(outcome)) sum.good += 1;
  }
  for (const [offerName, { good, expected, variance }] of sums) {
    const spread = 4 * Math.sqrt(variance);
    assert.ok(Math.abs(good - expected) <= spread, `${offerName}: ${good} good answers, ${expected} expected`);
  }
  const [least, most] = [...sums.values()]
    .map(({ good, shown }) => good / shown)
    .sort((a, b) => a - b)
    .reduce<[number, number]>(([low], rate, at) => [at === 0 ? rate : low, rate], [0, 0]);
  assert.ok(most > least * 1.5, 'some offers are liked better than others');
}

function checkLinks(pack: Pack): void {
  const customers = customersOf(pack);
  for (const { schema, linkedTo, rows } of pack.schemas) {
    if (linkedTo === undefined) continue;
    const child = String(schema.joinMapping?.childField);
    for (const row of rows(loadedAt)) assert.ok(customers.has(String(row[child])), `${schema.name} ${row[child]}`);
  }
}

function checkTokens(pack: Pack): void {
  for (const creative of pack.creatives) {
    const tokens = JSON.stringify(creative.content).match(/\{[a-z_]+\}/g) ?? [];
    const variables = new Set(creative.personalization?.map((entry) => entry.variable));
    for (const token of tokens) assert.ok(variables.has(token.slice(1, -1)), `${creative.name} fills in ${token}`);
    for (const key of ['subject', 'headline', 'body', 'ctaText', 'ctaUrl']) {
      assert.ok(String(creative.content?.[key] ?? '').length > 0, `${creative.name} has ${key}`);
    }
  }
}

/**
 * Number of schemas with rows, then channels, placements, categories, offers, creatives and so on, as in the design's
 * table.
 */
const sizes: Readonly<Record<string, object>> = {
  coffee_rewards: {
    rows: { coffee_members: 1000, coffee_visits: 5000 },
    channels: 4,
    placements: 5,
    offers: 12,
    creatives: 48,
    rules: 6,
    policies: 6,
    models: 4,
    experiments: 1,
    flows: 2,
    segments: 3,
    metrics: 0,
    journeys: 0,
    triggers: 0,
    geofences: 0,
    history: 3000,
  },
  retail_bank: {
    rows: { bank_clients: 2000, bank_accounts: 4000 },
    channels: 4,
    placements: 5,
    offers: 14,
    creatives: 56,
    rules: 7,
    policies: 7,
    models: 4,
    experiments: 1,
    flows: 2,
    segments: 4,
    metrics: 0,
    journeys: 0,
    triggers: 0,
    geofences: 0,
    history: 6000,
  },
  telco_care: {
    rows: { telco_subscribers: 3000, telco_usage: 9000, telco_tickets: 1500 },
    channels: 4,
    placements: 5,
    offers: 16,
    creatives: 64,
    rules: 9,
    policies: 7,
    models: 4,
    experiments: 1,
    flows: 2,
    segments: 3,
    metrics: 3,
    journeys: 1,
    triggers: 2,
    geofences: 2,
    history: 9000,
  },
};

for (const pack of packs) {
  test(`${pack.key} has the size that the design names`, () => {
    assert.deepEqual(
      {
        rows: Object.fromEntries(pack.schemas.map(({ schema, rows }) => [schema.name, [...rows(loadedAt)].length])),
        channels: pack.channels.length,
        placements: pack.channels.flatMap(({ placements }) => placements ?? []).length,
        offers: pack.offers.length,
        creatives: pack.creatives.length,
        rules: pack.qualificationRules.length,
        policies: pack.contactPolicies.length,
        models: pack.models.length,
        experiments: pack.experiments?.length ?? 0,
        flows: pack.flows.length,
        segments: pack.segments.length,
        metrics: pack.metrics?.length ?? 0,
        journeys: pack.journeys?.length ?? 0,
        triggers: pack.triggers?.length ?? 0,
        geofences: pack.geofences?.length ?? 0,
        history: [...pack.history(loadedAt)].length,
      },
      sizes[pack.key],
    );
  });
}

test('half of the creatives of telco_care are tried against each other', () => {
  const creatives = findPack('telco_care')?.creatives ?? [];
  const shares = (variant: string) =>
    creatives.filter(({ abTestVariant }) => abTestVariant === variant).map(({ weight }) => weight);
  assert.deepEqual(shares('a'), Array(16).fill(70));
  assert.deepEqual(shares('b'), Array(16).fill(30));
});

test('an unknown key has no pack', () => assert.equal(findPack('no_such_pack'), null));
