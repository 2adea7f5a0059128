import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CategoryCreate,
  ChannelCreate,
  ContactPolicyCreate,
  CreativeCreate,
  DataSchemaCreate,
  DecisionFlowCreate,
  OfferCreate,
  OutcomeTypeCreate,
  QualificationRuleCreate,
  SubCategoryCreate,
} from '@arbiter/contract';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { findPack, type Pack, packs } from './index.ts';

const anyId = '01930000-0000-7000-8000-000000000000';
const loadedAt = new Date('2026-11-20T12:00:00.000Z');

/** Fails with the validator's findings when `body` breaks `schema` or carries a property the schema does not know. */
function accepts(schema: TSchema, body: object, label: string): void {
  const errors = Value.Errors(schema, body).map((error) => `${error.instancePath} ${error.message}`);
  assert.deepEqual(errors, [], label);
  const known = new Set(Object.keys((schema as { properties?: object }).properties ?? {}));
  const unknown = Object.keys(body).filter((key) => !known.has(key));
  assert.deepEqual(unknown, [], `${label} has properties that the contract does not know`);
}

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
  });
}

function checkBodies(pack: Pack): void {
  for (const { schema } of pack.schemas) accepts(DataSchemaCreate, schema, schema.name);
  for (const outcome of pack.outcomeTypes) accepts(OutcomeTypeCreate, outcome, outcome.key);
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
  for (const { scopeName, ...policy } of pack.contactPolicies) {
    accepts(ContactPolicyCreate, scopeName === undefined ? policy : { ...policy, scopeId: anyId }, policy.name);
  }
  for (const { notes: _n, ...flow } of pack.flows) accepts(DecisionFlowCreate, flow, flow.key);
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
  for (const { name, scope, scopeName } of [...pack.qualificationRules, ...pack.contactPolicies]) {
    if (scope === 'global') assert.equal(scopeName, undefined, name);
    else assert.ok(targets[scope ?? '']?.includes(scopeName ?? ''), `${name} names its ${scope}`);
  }
}

function checkRows(pack: Pack): void {
  for (const { schema, rows } of pack.schemas) {
    const fields = schema.fields ?? [];
    const first = rows(loadedAt);
    const later = rows(new Date(loadedAt.getTime() + 40 * 86_400_000));
    assert.ok(first.length > 0);
    assert.equal(later.length, first.length);
    assert.deepEqual(rows(loadedAt), first, 'the generator is deterministic');
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
  const customers = pack.schemas.find(({ schema }) => schema.schemaType === 'customer');
  const ids = customers?.rows(loadedAt).map((row) => Object.values(row)[0]) ?? [];
  assert.equal(ids[0], pack.firstCustomer);
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

test('coffee_rewards has the size that the design names', () => {
  const pack = findPack('coffee_rewards');
  assert.ok(pack);
  assert.equal(pack.schemas[0]?.rows(loadedAt).length, 1000);
  assert.equal(pack.offers.length, 12);
  assert.equal(pack.channels.length, 4);
  assert.equal(pack.creatives.length, 48);
});

test('an unknown key names no pack', () => assert.equal(findPack('no_such_pack'), null));
