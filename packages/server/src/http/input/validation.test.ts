import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Type from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import { createChecks } from './validation.ts';

const text = { description: 'x' };
const nullable = Type.Union([Type.Integer({ minimum: 3, ...text }), Type.Null()], text);
const node = Type.Union(
  [
    Type.Object({ type: Type.Literal('filter', text), expression: Type.String(text) }, text),
    Type.Object({ type: Type.Literal('rank', text), top: Type.Number(text) }, text),
  ],
  text,
);
const schema = Type.Object(
  {
    name: Type.String({ minLength: 1, pattern: '\\S', ...text }),
    count: Type.Optional(nullable),
    kind: Type.Optional(Type.String({ enum: ['a', 'b'], ...text })),
    id: Type.Optional(Type.String({ format: 'uuid', ...text })),
    nodes: Type.Optional(Type.Array(node, text)),
  },
  text,
);
const check = createChecks().compile(schema, 'body');

function findings(value: unknown): string[] {
  try {
    check(value, 10);
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'validation_failed');
    return error.errors.map((entry) => `${entry.path} ${entry.message}`);
  }
}

test('every schema of the contract is valid, by the meta-schema', () => {
  const judge = new Ajv2020({ strict: false, validateFormats: false });
  assert.equal(judge.validateSchema({ type: 'string', minLength: '1' }), false, 'a wrong one is seen');
  let seen = 0;
  for (const { id, params, query, headers, body, responses } of Object.values<Operation>(operations)) {
    const schemas = [params, query, headers, body, ...Object.values(responses).map(({ schema }) => schema)];
    for (const schema of schemas.filter((each) => each !== undefined && each !== null)) {
      seen += 1;
      assert.ok(judge.validateSchema(schema), `${id}: ${judge.errorsText()}`);
    }
  }
  assert.ok(seen > 500, `only ${seen} schemas`);
});

test('compiles early schemas in advance, and the others on first use', () => {
  const broken = Type.Unsafe({ type: 'nonsense' });
  const checks = createChecks();
  const late = checks.compile(broken, 'body');
  checks.prepare();
  assert.throws(() => late(1, 1), 'compiled when it is used');
  checks.compile(broken, 'body', true);
  assert.throws(() => checks.prepare());
});

test('accepts valid values', () => {
  assert.deepEqual(findings({ name: 'a', count: null, nodes: [{ type: 'rank', top: 1 }] }), []);
});

test('problems describe the value, all at once', () => {
  assert.deepEqual(findings({}), ['/name is required']);
  assert.deepEqual(findings([]), [' must be an object']);
  assert.deepEqual(findings({ name: ' ', kind: 'c', id: 'x' }), [
    '/name must not be blank',
    '/kind must be one of "a", "b"',
    '/id must be a UUID',
  ]);
});

test('a union reports problems of the intended member', () => {
  assert.deepEqual(findings({ name: 'a', count: 'x' }), ['/count must be an integer or null']);
  assert.deepEqual(findings({ name: 'a', count: 1 }), ['/count must be at least 3']);
  assert.deepEqual(findings({ name: 'a', nodes: [{ type: 'rank' }] }), ['/nodes/0/top is required']);
  assert.deepEqual(findings({ name: 'a', nodes: [{ type: 'sort' }] }), [
    '/nodes/0/type must be one of "filter", "rank"',
  ]);
  assert.deepEqual(findings({ name: 'a', nodes: [1] }), ['/nodes/0 must be an object']);
});

test('reports only the first problem of a large body', () => {
  const value = { name: 'a', nodes: Array.from({ length: 100_000 }, () => ({ type: 'rank' })) };
  // Processor time, so that other load on the machine doesn't count.
  const started = process.cpuUsage();
  assert.throws(
    () => check(value, 1_000_000),
    (error) => error instanceof AppError && error.errors.length === 1,
  );
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 200_000, `${user + system} us`);
});
