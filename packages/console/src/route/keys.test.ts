import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bindKeys,
  boundKeys,
  isCharacterKey,
  type KeyBinding,
  matchPress,
  type Press,
  pressName,
  writtenKeys,
} from './keys.ts';

const press = (key: string, modifiers: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
});
const binding = (keys: string): KeyBinding => ({ keys, title: keys, run: () => undefined });

test('names a key press the same on every system', () => {
  assert.equal(pressName(press('k', { ctrlKey: true }), false), 'mod+k');
  assert.equal(pressName(press('k', { metaKey: true }), true), 'mod+k');
  assert.equal(pressName(press('k', { metaKey: true }), false), null, 'the key of the system');
  assert.equal(pressName(press('Z', { ctrlKey: true, shiftKey: true }), false), 'mod+shift+z');
  assert.equal(pressName(press('?', { shiftKey: true }), false), '?');
  assert.equal(pressName(press(']', { ctrlKey: true, altKey: true }), false), ']', 'AltGr writes a character');
  assert.equal(pressName(press('ArrowUp', { altKey: true }), false), 'alt+arrowup');
  assert.equal(pressName(press(' '), false), 'space');
  assert.equal(pressName(press('Shift', { shiftKey: true }), false), null);
});

test('matches two keys in sequence, and resets after another key', () => {
  const bindings = ['g d', 'g h', 'c'].map(binding);
  const first = matchPress(bindings, null, 'g');
  assert.deepEqual([first.binding, first.pending], [null, 'g']);
  assert.equal(matchPress(bindings, 'g', 'd').binding?.keys, 'g d');
  assert.equal(matchPress(bindings, 'g', 'c').binding?.keys, 'c', 'c stands for itself after a g that leads nowhere');
  assert.deepEqual(matchPress(bindings, null, 'x'), { binding: null, pending: null });
  assert.equal(matchPress(bindings, 'g', 'g').pending, 'g');
});

test('prefers the keys of the page to those of the shell, until it closes', () => {
  const frame = binding('c');
  const page = binding('c');
  const leaveFrame = bindKeys([frame]);
  const leavePage = bindKeys([page]);
  assert.equal(matchPress(boundKeys(), null, 'c').binding, page);
  leavePage();
  assert.equal(matchPress(boundKeys(), null, 'c').binding, frame);
  leaveFrame();
  assert.deepEqual(boundKeys(), []);
});

test('distinguishes character keys, and writes all keys', () => {
  assert.deepEqual(['c', 'g d', '?', 'mod+k', 'escape'].map(isCharacterKey), [true, true, true, false, false]);
  assert.deepEqual(writtenKeys('mod+enter', true), ['⌘⏎']);
  assert.deepEqual(writtenKeys('mod+enter', false), ['Ctrl ⏎']);
  assert.deepEqual(writtenKeys('g d', false), ['G', 'D']);
});
