import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './caller-network.ts';

test('an IPv4 address counts as itself, in any notation', () => {
  for (const address of [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::FFFF:c000:207',
    '192.0.2.7:51234',
    '[::ffff:192.0.2.7]:443',
  ]) {
    assert.equal(networkOf(address), '192.0.2.7', address);
  }
  assert.notEqual(networkOf('192.0.2.8'), networkOf('192.0.2.7'));
});

test('an IPv6 address counts as its 64-bit network', () => {
  const network = '2001:db8:0:1::/64';
  for (const address of [
    '2001:db8:0:1::1',
    '2001:0DB8:0000:0001:ffff:ffff:ffff:ffff',
    '[2001:db8:0:1::2]:9',
    '2001:db8:0:1::%eth0',
  ]) {
    assert.equal(networkOf(address), network, address);
  }
  for (const other of ['2001:db8:0:2::1', '2001:db8::1', '2001:db8:1:1::1', 'fe80::1', '::1', '::']) {
    assert.notEqual(networkOf(other), network, other);
  }
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  // Compatible and translated forms aren't IPv4 callers.
  assert.equal(networkOf('64:ff9b::192.0.2.7'), '64:ff9b:0:0::/64');
});

test('anything else counts as it is', () => {
  assert.equal(networkOf('unknown'), 'unknown');
  assert.equal(networkOf(''), '');
});
