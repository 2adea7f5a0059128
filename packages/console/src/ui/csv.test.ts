import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvText } from './csv.ts';

const lines = (...rows: readonly Parameters<typeof csvText>[1][number][]) =>
  csvText(['a', 'b'], rows).slice('\ufeffa,b\r\n'.length);

test('writes values as programs read them', () => {
  assert.equal(csvText(['Name', 'Value, EUR'], [['Gold', 0.5]]), '\ufeffName,"Value, EUR"\r\nGold,0.5\r\n');
  assert.equal(lines([-1.5, true], [null, undefined], [Number.NaN, '']), '-1.5,true\r\n,\r\n,\r\n');
});

test('quotes cells with quotes, separators and line breaks', () => {
  assert.equal(lines(['say "hi"', 'one\r\ntwo']), '"say ""hi""","one\ntwo"\r\n');
  assert.equal(lines(['one;two', 'tab\tthere']), '"one;two","tab\tthere"\r\n');
});

test('keeps spreadsheets from reading a text as a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@sum', ' =1', '\uff1d1', '|cmd']) {
    assert.ok(lines([text, '']).startsWith("'") || lines([text, '']).startsWith('"\''), text);
  }
  assert.equal(lines(['a;=1', 'b\n=1']), '"a;\'=1","b\n\'=1"\r\n');
});
