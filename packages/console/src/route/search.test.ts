import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import Type from 'typebox';
import { addresses } from './addresses.ts';
import { parseSearch, readSearch, writeSearch } from './search.ts';

test('an address is written and read back as it was', () => {
  const search = { a: '1', list: ['x', 'y z'], text: 'ü & =' };
  assert.deepEqual(parseSearch(writeSearch(search)), search);
  assert.equal(writeSearch({ a: undefined, b: null, c: '' }), '');
  assert.equal(addresses.decision('a/b'), '/decisions/a%2Fb');
  assert.equal(addresses.decisions({ offerId: 'o', stage: undefined }), '/decisions?offerId=o');
});

test('values are read as the schema says, and what does not fit is left out', () => {
  const schema = Type.Object({
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    share: Type.Optional(Type.Number()),
    on: Type.Optional(Type.Boolean()),
    kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    ids: Type.Optional(Type.Array(Type.String())),
    text: Type.Optional(Type.String()),
  });
  const read = (text: string) => readSearch(schema, parseSearch(text));
  assert.deepEqual(read('?count=9&share=-0.5&on=true&text=5&ids=x&other=1'), {
    count: 9,
    share: -0.5,
    on: true,
    text: '5',
    ids: ['x'],
  });
  assert.deepEqual(read('?count=10&share=1e3&on=yes'), {});
  assert.deepEqual(read('?count=0x5&count=2'), {});
  assert.deepEqual(read('?ids=x&ids=y&kind=b'), { ids: ['x', 'y'], kind: 'b' });
  assert.deepEqual(read('?kind=c'), {});
});

test('a text that the server would refuse is left out: empty or too long, or not an id', () => {
  const schema = Type.Object({
    customer: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    channel: Type.Optional(Type.String({ format: 'uuid' })),
  });
  const read = (text: string) => readSearch(schema, parseSearch(text));
  assert.deepEqual(read('?customer=&channel=email'), {});
  assert.deepEqual(read('?customer=123456'), {});
  const channel = '01a20ac8-4faf-7243-9560-fa204a65b342';
  assert.deepEqual(read(`?customer=12345&channel=${channel}`), { customer: '12345', channel });
});

test('the filters of a list of the contract can stand in an address', () => {
  const raw = parseSearch('?customerId=CM-1&limit=5&from=2026-01-01T00:00:00Z');
  assert.deepEqual(readSearch(decisionListOperations.list.query, raw), {
    customerId: 'CM-1',
    limit: 5,
    from: '2026-01-01T00:00:00Z',
  });
});
