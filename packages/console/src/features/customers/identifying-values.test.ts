import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifyingValues } from './identifying-values.ts';

const field = (name: string, more: object = {}) => ({
  name,
  displayName: `The ${name}`,
  dataType: 'varchar' as const,
  isPrimaryKey: false,
  isSensitive: false,
  neverStore: false,
  ...more,
});

test('identifies a customer by the first text columns of the table, in order', () => {
  const fields = ['name', 'city', 'tier', 'favourite'].map((name) => field(name));
  assert.deepEqual(identifyingValues(fields, { tier: 'gold', favourite: 'latte', name: 'Mia', city: 'Leeds' }), [
    { label: 'The name', value: 'Mia' },
    { label: 'The city', value: 'Leeds' },
    { label: 'The tier', value: 'gold' },
  ]);
});

test('leaves out keys, numbers and values that are sensitive, not stored, too long, too plain or missing', () => {
  const fields = [
    field('id', { isPrimaryKey: true }),
    field('age', { dataType: 'integer' }),
    field('illness', { isSensitive: true }),
    field('iban', { neverStore: true }),
    field('loan'),
    field('note'),
    field('gone'),
    field('job', { dataType: 'text' }),
  ];
  const values = { id: 'C1', age: 7, illness: 'flu', iban: 'DE00', loan: 'no', note: 'x'.repeat(41), gone: null };
  assert.deepEqual(identifyingValues(fields, values), []);
  assert.deepEqual(identifyingValues(fields, { ...values, job: 'baker' }), [{ label: 'The job', value: 'baker' }]);
});
