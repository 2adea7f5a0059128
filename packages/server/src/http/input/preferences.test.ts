import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersStrict } from './preferences.ts';

test('reads strict handling as RFC 7240 writes it', () => {
  const asked = [
    'handling=strict',
    'Handling = STRICT',
    ' handling="strict" ',
    'respond-async, wait=10, handling=strict',
    'return=minimal; foo="some, handling=lenient", handling=strict',
    'handling=strict; foo=bar',
    'handling=strict, handling=lenient',
    '=broken, "also", handling=strict',
    ', ,handling=strict',
    String.raw`handling="str\ict"`,
  ];
  for (const header of asked) assert.equal(prefersStrict(header), true, header);
  assert.equal(prefersStrict(['wait=1', 'handling=strict']), true);
});

test('ignores everything else', () => {
  const others = [
    undefined,
    '',
    'handling',
    'handling=',
    'handling=lenient',
    'handling=lenient, handling=strict',
    'handling=strictly',
    'xhandling=strict',
    'wait=10; handling=strict',
    'foo="handling=strict"',
    'foo="bar, handling=strict',
    'handling strict',
    `${'a,'.repeat(10_000)}handling=strict`,
  ];
  for (const header of others) assert.equal(prefersStrict(header), false, String(header));
});
