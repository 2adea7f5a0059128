import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { namesTenant } from './core/auth.ts';
import { errorRegistry } from './core/errors.ts';
import { type Operation, operation } from './core/operation.ts';
import { errorCodesOf, Problem } from './core/problem.ts';
import { documentWords } from './core/resource.ts';
import { openapi } from './openapi.ts';
import { operations } from './operations.ts';

const all: readonly Operation[] = Object.values(operations);
const options = { version: '1.2.3', serverUrl: 'https://arbiter.example' };

const one = operation({
  id: 'things.create',
  method: 'POST',
  path: '/api/v1/things/{id}',
  aliases: ['/api/things/{id}'],
  tag: 'Things',
  summary: 'Make a thing',
  auth: 'credential',
  role: 'editor',
  loadClass: 'crud',
  idempotent: true,
  rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant' }],
  params: Type.Object({ id: Type.String({ description: 'Id.' }) }, { description: 'Path.' }),
  query: Type.Object({ force: Type.Optional(Type.Boolean({ description: 'Force.' })) }, { description: 'Query.' }),
  body: Type.Object({ name: Type.String({ description: 'Name.' }) }, { description: 'Body.' }),
  responses: {
    201: { description: 'Made.', schema: Type.Object({}, { description: 'Thing.' }) },
    204: { description: 'Nothing to do.', schema: null },
  },
  errors: ['duplicate_name'],
  audit: [],
  transaction: 'tenant',
});

describe('every schema of the contract', () => {
  const seen = new Set<TSchema>();
  function missing(schema: TSchema, where: string): string[] {
    if (seen.has(schema)) return [];
    seen.add(schema);
    const found: string[] = [];
    const properties: Record<string, TSchema> = Reflect.get(schema, 'properties') ?? {};
    for (const [name, property] of Object.entries(properties)) {
      const description: unknown = Reflect.get(property, 'description');
      if (typeof description !== 'string' || description.trim() === '') found.push(`${where}.${name}`);
      found.push(...missing(property, `${where}.${name}`));
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const members: TSchema[] = Reflect.get(schema, key) ?? [];
      for (const [index, member] of members.entries()) found.push(...missing(member, `${where}|${index}`));
    }
    for (const key of ['items', 'additionalProperties']) {
      const inner: unknown = Reflect.get(schema, key);
      if (typeof inner === 'object' && inner !== null) found.push(...missing(inner, `${where}[]`));
    }
    return found;
  }
  for (const each of all) {
    test(`${each.id} describes every property`, () => {
      const schemas: [string, TSchema | null | undefined][] = [
        ['params', each.params],
        ['query', each.query],
        ['headers', each.headers],
        ['body', each.body],
        ...Object.entries(each.responses).map(([status, response]): [string, TSchema | null] => [
          status,
          response.schema,
        ]),
      ];
      const found = schemas.flatMap(([name, schema]) => (schema ? missing(schema, name) : []));
      assert.deepEqual(found, []);
    });
  }
});

describe('every operation', () => {
  test('has a unique ID of the form resource.verb', () => {
    assert.equal(new Set(all.map((each) => each.id)).size, all.length);
    for (const [id, each] of Object.entries(operations)) {
      assert.equal(id, each.id);
      assert.match(id, /^[a-z][A-Za-z0-9]*\.[a-z][A-Za-z0-9]*$/);
    }
  });
  test('declares registered codes, a successful response, and a role where it requires a credential', () => {
    for (const each of all) {
      for (const code of each.errors) assert.ok(code in errorRegistry, `${each.id}: ${code}`);
      const successes = Object.keys(each.responses).filter((status) => Number(status) < 400);
      assert.ok(successes.length > 0, each.id);
      if (!namesTenant(each.auth)) assert.equal(each.role, null, each.id);
      if (each.transaction === 'tenant') assert.ok(namesTenant(each.auth), each.id);
    }
  });
  test('declares its audit rows if it changes something', () => {
    for (const each of all) {
      for (const entry of each.audit) assert.ok(entry.action !== '' && entry.entityType !== '', each.id);
    }
  });
});

describe('openapi', () => {
  test('describes every operation and alias once', () => {
    const document = openapi(all, options);
    const paths = document.paths as Record<string, Record<string, { operationId: string }>>;
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map((each) => each.operationId));
    const expected = all.reduce((count, each) => count + 1 + (each.aliases ?? []).length, 0);
    assert.equal(ids.length, expected);
    assert.equal(new Set(ids).size, expected);
    assert.doesNotThrow(() => JSON.stringify(document));
  });
  test('writes parameters, body, responses, codes and security', () => {
    const document = openapi([one], options) as never as {
      paths: Record<string, Record<string, Record<string, never>>>;
      components: { parameters: Record<string, unknown> };
    };
    const described: Record<string, unknown> = document.paths['/api/v1/things/{id}']!.post!;
    assert.deepEqual(described.parameters, [
      { name: 'id', in: 'path', required: true, description: 'Id.', schema: { type: 'string' } },
      { name: 'force', in: 'query', required: false, description: 'Force.', schema: { type: 'boolean' } },
      { $ref: '#/components/parameters/Prefer' },
      { $ref: '#/components/parameters/RequestedWith' },
      { $ref: '#/components/parameters/IdempotencyKey' },
      { $ref: '#/components/parameters/TenantId' },
      { $ref: '#/components/parameters/UserRole' },
    ]);
    assert.deepEqual(described.security, [{ bearer: [] }, { apiKey: [] }]);
    assert.equal(described.description, 'Requires the editor role. At most 5 calls in 60 seconds per tenant.');
    const responses = described.responses as Record<string, { description: string; 'x-codes'?: string[] }>;
    assert.deepEqual(Object.keys(responses), [
      '201',
      '204',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    assert.deepEqual(responses['409']!['x-codes'], ['duplicate_name', 'idempotency_in_progress']);
    assert.ok(document.paths['/api/things/{id}']!.post);
  });
  test('hides internal markers of the schema library', () => {
    assert.ok(!JSON.stringify(openapi(all, options)).includes('"~'));
  });
  test('rejects operations that contradict themselves', () => {
    assert.throws(() => openapi([one, one], options), /two operations have the id/);
    assert.throws(() => openapi([one, { ...one, id: 'things.again' }], options), /two operations have the route/);
    assert.throws(() => openapi([{ ...one, path: '/api/v1/things' }], options), /the path/);
    assert.throws(() => openapi([{ ...one, path: '/api/v1/things/{other}' }], options), /the path/);
  });
});

describe('the codes of an operation', () => {
  test('follow from its declaration', () => {
    const open = { ...one, auth: 'none', role: null, transaction: 'none', errors: [], idempotent: false } as const;
    const { body: _body, query: _query, params: _params, rateLimits: _limits, ...bare } = open;
    assert.deepEqual(errorCodesOf({ ...bare, method: 'GET', loadClass: 'health' }), ['validation_failed', 'internal']);
    assert.deepEqual(errorCodesOf({ ...bare, csrfExempt: true }), ['validation_failed', 'internal', 'overloaded']);
    assert.ok(errorCodesOf(bare).includes('csrf_header_required'));
    assert.ok(errorCodesOf(one).includes('unauthorized'));
  });
  test('match those of the problem body', () => {
    const known: unknown = Reflect.get(Problem.properties.code, 'enum');
    assert.deepEqual(known, Object.keys(errorRegistry));
  });
});

test('shows each body once: the example of its schema, else the draft of its record', () => {
  const body = (shown: Operation): object => {
    const document = JSON.parse(JSON.stringify(openapi([shown], options)));
    return document.paths[shown.path].post.requestBody.content['application/json'];
  };
  const create: Operation = operations['rankingProfiles.create'];
  assert.equal('example' in body(create), false);
  const bare = Type.Object({ name: Type.String({ description: 'Name.' }) }, { description: 'Body.' });
  const withDraft = body({ ...create, body: bare });
  assert.deepEqual(Reflect.get(withDraft, 'example'), create.resource?.draft?.(documentWords));
});

test('descriptions refer only to documents that readers have', () => {
  const document: unknown = openapi(all, options);
  const found: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (typeof part === 'string' && foreignDocument.test(part)) found.push(`${path}/${name}: ${part}`);
      walk(part, `${path}/${name}`);
    }
  };
  walk(document, '');
  assert.deepEqual(found, []);
  for (const text of ['see part 2, 4.5', 'api-settled 80', 'docs/design/quality.md E32', 'as in ADR 19', 'law P1'])
    assert.match(text, foreignDocument);
});

/** A design page, an ADR, or a part of the contract by its number. */
const foreignDocument =
  /\bpart [12]\b|\bapi-(settled|access|catalogue|decisioning)\b|\bdocs\/|\bADR \d|\b[PEFRST]\d{1,2}\b/;

test('configs are unions by type, with the range and meaning of each key', () => {
  const text = JSON.stringify(openapi(all, options));
  for (const title of [
    'FrequencyCapPolicyConfig',
    'AttributeConditionRuleConfig',
    'ScorecardModelConfig',
    'RankNode',
    'SesProviderConfig',
  ])
    assert.ok(text.includes(title), title);
  const document = JSON.parse(text);
  const { maxPerWeek, per } = document.components.schemas.FrequencyCapPolicyConfig.properties;
  assert.deepEqual([maxPerWeek.minimum, maxPerWeek.maximum], [0, 1_000_000]);
  assert.match(maxPerWeek.description, /week/);
  assert.equal(per.default, 'scope');
  assert.ok(!text.includes('"configs"'), 'what only names configs is replaced');
});
