import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFor } from '../../ui/format.ts';
import { attributeLabel, attributeText } from './attribute-text.ts';

const format = formatFor({ locale: 'en-GB', timeZone: 'America/New_York', currency: 'USD' });
const field = (
  name: string,
  dataType: 'varchar' | 'numeric' | 'integer',
  displayName = name,
  isPrimaryKey = false,
) => ({
  name,
  displayName,
  dataType,
  isPrimaryKey,
});

test('formats numbers and times for the tenant, in its zone', () => {
  const text = (value: unknown, of?: ReturnType<typeof field>) => attributeText(value, of, format);
  assert.equal(text(48210.5), '48,210.5');
  assert.equal(text('48210.50', field('income', 'numeric')), '48,210.5');
  assert.equal(text('48210', field('code', 'varchar')), '48210');
  assert.equal(text(48210, field('id', 'integer', 'Id', true)), '48210');
  assert.equal(text('2026-11-23T02:30:00Z'), '22 Nov 2026, 21:30:00');
  assert.equal(text('2026-11-23'), '23 Nov 2026');
  assert.equal(text('2026-11-23 is a day'), '2026-11-23 is a day');
  assert.equal(text(true), 'yes');
  assert.equal(text(['a', 1200]), 'a, 1,200');
  assert.equal(text(null), 'not set');
});

test('labels an attribute by its display name, else by its name in words', () => {
  assert.equal(attributeLabel('tier', field('tier', 'varchar', 'Loyalty tier')), 'Loyalty tier');
  assert.equal(attributeLabel('favorite_store', field('favorite_store', 'varchar')), 'Favorite store');
  assert.equal(attributeLabel('lastVisit', undefined), 'Last visit');
});
