import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CustomField } from '@arbiter/contract';
import { customFieldProblems, effectiveFields } from './offers.custom-fields.ts';

const field = (key: string, type: CustomField['type'], extra: Partial<CustomField> = {}): CustomField => ({
  key,
  type,
  ...extra,
});
const check = (fields: readonly CustomField[], customFields: unknown, active = false) =>
  customFieldProblems(fields, { customFields }, active).map((problem) => problem.path.split('/').at(-1));

describe('custom field values (docs/design/api-catalogue.md 4)', () => {
  it('checks known keys by type and ignores unknown ones', () => {
    const fields = [
      field('rate', 'number'),
      field('text', 'text'),
      field('on', 'boolean'),
      field('tier', 'select', { options: ['gold', 'black'] }),
      field('day', 'date'),
    ];
    assert.deepEqual(
      check(fields, { rate: 1.5, text: 'a', on: false, tier: 'gold', day: '2026-02-28', other: {} }),
      [],
    );
    assert.deepEqual(check(fields, { rate: '1', text: 1, on: 'yes', tier: 'red', day: '2026-02-30' }), [
      'rate',
      'text',
      'on',
      'tier',
      'day',
    ]);
    assert.deepEqual(check(fields, { text: 'x'.repeat(2001) }), ['text']);
  });

  it('rejects a value for a computed field', () => {
    assert.deepEqual(check([field('sum', 'computed')], { sum: 1 }), ['sum']);
    assert.deepEqual(check([field('sum', 'computed')], { sum: null }), []);
  });

  it('requires values of active offers only', () => {
    const fields = [field('rate', 'number', { required: true })];
    assert.deepEqual(check(fields, {}, false), []);
    assert.deepEqual(check(fields, {}, true), ['rate']);
    assert.deepEqual(customFieldProblems(fields, {}, true).length, 1);
  });

  it('is an object', () => {
    assert.deepEqual(check([], [1]), ['customFields']);
    assert.deepEqual(check([], null), []);
  });

  it('prefers the sub-category to the category', () => {
    const fields = effectiveFields([field('a', 'number'), field('b', 'text')], [field('a', 'text')]);
    assert.deepEqual(
      fields.map(({ key, type }) => [key, type]),
      [
        ['b', 'text'],
        ['a', 'text'],
      ],
    );
  });
});
