import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomField } from '@arbiter/contract';
import { fitsCustomField } from '../catalogue-records/index.ts';
import { customFieldProblems, normaliseCustomFields, retypedFields } from './custom-fields.rules.ts';

test('checks definitions by type', () => {
  const sound: CustomField[] = [
    { key: 'note', type: 'text', defaultValue: 'x', required: true },
    { key: 'rate', type: 'number', defaultValue: null },
    { key: 'tier', type: 'select', options: ['a', 'b'], defaultValue: 'b' },
    { key: 'until', type: 'date', defaultValue: '2026-11-20' },
    { key: 'total', type: 'computed', formula: 'rate * 2', outputType: 'decimal' },
  ];
  assert.deepEqual(customFieldProblems(sound), []);
  assert.equal(normaliseCustomFields(sound)[4]?.outputType, 'number');
  const broken: CustomField[] = [
    { key: 'a', type: 'select' },
    { key: 'b', type: 'computed' },
    { key: 'c', type: 'computed', formula: '1', required: true },
    { key: 'd', type: 'computed', formula: '1', defaultValue: 3 },
    { key: 'e', type: 'date', defaultValue: '2026-02-30' },
    { key: 'f', type: 'text', formula: '1' },
    { key: 'f', type: 'text' },
  ];
  assert.deepEqual(
    customFieldProblems(broken).map((problem) => problem.path),
    ['options', 'formula', 'required', 'defaultValue', 'defaultValue', 'formula', 'key'].map(
      (property, index) => `/customFields/${index}/${property}`,
    ),
  );
});

test('formulas refer to known fields, without cycles', () => {
  const computed = (key: string, formula: string): CustomField => ({ key, type: 'computed', formula });
  const paths = (fields: CustomField[], inherited: CustomField[] = []) =>
    customFieldProblems(fields, inherited).map((problem) => problem.path);
  const rate: CustomField = { key: 'rate', type: 'number' };
  assert.deepEqual(paths([rate, computed('double', 'rate * 2'), computed('more', 'double + customer.age')]), []);
  assert.deepEqual(paths([computed('double', 'rate * 2')]), ['/customFields/0/formula']);
  assert.deepEqual(paths([computed('double', 'rate * 2')], [rate]), []);
  assert.deepEqual(paths([rate, computed('a', 'rate *')]), ['/customFields/1/formula']);
  assert.deepEqual(paths([rate, computed('a', 'constructor.constructor("x")()')]), ['/customFields/1/formula']);
  assert.deepEqual(paths([computed('a', 'a + 1')]), ['/customFields/0/formula']);
  assert.deepEqual(paths([computed('a', 'b'), rate, computed('b', 'c'), computed('c', 'a + rate')]), [
    '/customFields/0/formula',
    '/customFields/2/formula',
    '/customFields/3/formula',
  ]);
  assert.deepEqual(paths([computed('rate', 'double')], [rate, computed('double', 'rate * 2')]), [
    '/customFields/0/formula',
  ]);
});

test('checks values by type', () => {
  assert.equal(fitsCustomField({ key: 'a', type: 'number' }, '3'), false);
  assert.equal(fitsCustomField({ key: 'a', type: 'text' }, 'x'.repeat(2001)), false);
  assert.equal(fitsCustomField({ key: 'a', type: 'select', options: ['x'] }, 'y'), false);
  assert.equal(fitsCustomField({ key: 'a', type: 'boolean' }, false), true);
});

test('finds a changed type by its key', () => {
  const before: CustomField[] = [
    { key: 'a', type: 'text' },
    { key: 'b', type: 'text' },
  ];
  const after: CustomField[] = [
    { key: 'b', type: 'number' },
    { key: 'c', type: 'number' },
  ];
  assert.deepEqual(
    retypedFields(before, after).map((field) => field.key),
    ['b'],
  );
});
