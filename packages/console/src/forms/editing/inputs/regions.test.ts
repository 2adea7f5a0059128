import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRegions, regionText } from './regions.ts';

const values = (kind: Parameters<typeof findRegions>[0], text: string) =>
  findRegions(kind, text).map(({ value }) => value);

test('finds a time zone by its city, with a space or an underscore', () => {
  assert.equal(values('timezone', 'berlin')[0], 'Europe/Berlin');
  assert.ok(values('timezone', 'new york').includes('America/New_York'));
  assert.equal(values('timezone', 'america/new_york')[0], 'America/New_York');
  assert.equal(values('timezone', 'utc')[0], 'UTC');
  assert.match(findRegions('timezone', 'berlin')[0]?.detail ?? '', /^GMT\+[12]$/);
});

test("finds valid zones and tags that aren't listed", () => {
  assert.ok(values('timezone', 'Asia/Kolkata').includes('Asia/Kolkata'));
  assert.deepEqual(values('timezone', 'Mars/Olympus'), []);
  assert.deepEqual(values('timezone', '+02:00'), []);
  assert.ok(values('locale', 'en-ZW').includes('en-ZW'));
  assert.deepEqual(values('locale', 'not a language'), []);
  assert.deepEqual(values('currency', 'gold coins'), []);
});

test('finds languages and currencies by name and by code', () => {
  assert.ok(values('locale', 'german').includes('de'));
  assert.ok(values('locale', 'de-CH').includes('de-CH'));
  assert.equal(values('currency', 'EUR')[0], 'EUR');
  assert.ok(values('currency', 'swiss franc').includes('CHF'));
  assert.ok(findRegions('timezone', '').length > 20);
});

test('shows a selected value as a name with its code', () => {
  assert.equal(regionText('timezone', 'America/New_York'), 'America/New York');
  assert.equal(regionText('currency', 'EUR'), 'Euro (EUR)');
  assert.equal(regionText('locale', 'en-GB'), 'British English (en-GB)');
});
