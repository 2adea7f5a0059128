import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { deleteLater, undoMs } from './pending-deletions.ts';
import { setGlobals } from './test-browser.ts';

test('a deletion waits, and isn’t sent when it’s undone', () => {
  // Browsers have these, Node doesn't.
  const restore = setGlobals({ addEventListener: () => undefined, removeEventListener: () => undefined });
  mock.timers.enable({ apis: ['setTimeout'] });
  const sent: string[] = [];
  const undo = deleteLater('a', () => sent.push('a'));
  deleteLater('b', () => sent.push('b'));
  mock.timers.tick(undoMs - 1);
  assert.deepEqual(sent, []);
  assert.equal(undo(), true);
  mock.timers.tick(1);
  assert.deepEqual(sent, ['b']);
  assert.equal(undo(), false, 'too late, or already undone');
  mock.timers.reset();
  restore();
});
