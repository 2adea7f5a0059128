import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColumnType } from '../fields/data-types.ts';
import { Misfit, valueCheck } from './values.rules.ts';
import { bigintOut, decimalOut } from './values-out.rules.ts';

function check(dataType: string, value: unknown): unknown {
  const type = readColumnType({ dataType });
  assert.ok('dataType' in type, dataType);
  const result = valueCheck(type)(value);
  return result instanceof Misfit ? 'refused' : result;
}

test('accepts valid values, in one spelling each', () => {
  const fitting: [string, unknown, unknown][] = [
    ['varchar(3)', 'äöü', 'äöü'],
    ['varchar(1)', '😀', '😀'],
    ['varchar', '', ''],
    ['char(5)', 'ab  ', 'ab'],
    ['smallint', -32_768, -32_768],
    ['integer', '007', '7'],
    ['integer', '-0', '0'],
    ['bigint', '9223372036854775807', '9223372036854775807'],
    ['bigint', 9_007_199_254_740_991, 9_007_199_254_740_991],
    ['numeric(10,2)', 12.5, '12.5'],
    ['numeric(10,2)', '0012.50', '12.5'],
    ['numeric(10,2)', -0, '0'],
    ['numeric', 1e-7, '0.0000001'],
    ['numeric', 1.5e21, '1500000000000000000000'],
    ['numeric', '-0.0', '0'],
    ['real', 0.1, 0.1],
    ['double', 5e-324, 5e-324],
    ['boolean', false, false],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '0001-01-01', '0001-01-01'],
    ['time', '09:30', '09:30:00'],
    ['time', '23:59:59', '23:59:59'],
    ['timestamp', '2026-11-20T09:30', '2026-11-20T09:30:00'],
    ['timestamp', '2026-11-20T09:30:00.123456', '2026-11-20T09:30:00.123456'],
    ['timestamptz', '2026-11-20T09:30:00+02:00', '2026-11-20T07:30:00.000Z'],
    ['timestamptz', '2026-11-20T09:30:00.123456789Z', '2026-11-20T09:30:00.123Z'],
    ['uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    ['jsonb', { a: [1, null] }, { a: [1, null] }],
  ];
  for (const [type, value, stored] of fitting) assert.deepEqual(check(type, value), stored, `${type} ${String(value)}`);
});

test('rejects invalid values, without coercion', () => {
  const misfits: [string, unknown][] = [
    ['varchar(3)', 'abcd'],
    ['varchar', 5],
    ['varchar', true],
    ['varchar', ['a']],
    ['smallint', 32_768],
    ['integer', 1.5],
    ['integer', '1.0'],
    ['integer', ''],
    ['integer', ' 7'],
    ['integer', '1e3'],
    ['integer', true],
    ['integer', 2_147_483_648],
    ['bigint', 9_007_199_254_740_992],
    ['bigint', '9223372036854775808'],
    ['numeric(10,2)', 1.005],
    ['numeric(10,2)', '123456789.00'],
    ['numeric', 'NaN'],
    ['numeric', '1e5'],
    ['numeric', '.5'],
    ['numeric', Number.NaN],
    ['real', 1e39],
    ['real', 1e-50],
    ['double', '1.5'],
    ['boolean', 'true'],
    ['boolean', 1],
    ['date', '2026-02-30'],
    ['date', '0000-01-01'],
    ['date', '2026-11-20T00:00:00Z'],
    ['time', '24:00'],
    ['time', '09:30:15.5'],
    ['timestamp', '2026-11-20T09:30:00Z'],
    ['timestamp', '2026-11-20 09:30:00'],
    ['timestamptz', '2026-11-20T09:30:00'],
    ['timestamptz', '2026-02-30T09:30:00Z'],
    ['timestamptz', '0001-01-01T00:00:00+14:00'],
    ['uuid', 'a0eebc999c0b4ef8bb6d6bb9bd380a11'],
    ['jsonb', { a: 'x'.repeat(65_536) }],
    ['jsonb', Array.from({ length: 33 }).reduce<unknown>((inner) => [inner], 1)],
  ];
  for (const [type, value] of misfits) assert.equal(check(type, value), 'refused', `${type} ${JSON.stringify(value)}`);
});

test("numbers are returned as numbers while they're exact", () => {
  assert.equal(bigintOut('9007199254740991'), 9_007_199_254_740_991);
  assert.equal(bigintOut('9007199254740993'), '9007199254740993');
  assert.equal(decimalOut('10.00'), 10);
  assert.equal(decimalOut('-0.50'), -0.5);
  assert.equal(decimalOut('0.00'), 0);
  assert.equal(decimalOut('123456789012.345'), 123_456_789_012.345);
  assert.equal(decimalOut('1234567890123.456'), '1234567890123.456');
  assert.equal(decimalOut('0.000000000000000000123'), 1.23e-19);
  assert.equal(decimalOut(null), null);
});
