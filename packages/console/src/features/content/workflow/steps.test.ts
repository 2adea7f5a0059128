import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentStatuses } from '@arbiter/contract/catalogue/content';
import { isOwnRequest, stepsOf } from './steps.ts';

test('offers the steps of each status, the usual one last', () => {
  assert.deepEqual(
    contentStatuses.map((status) => [status, stepsOf({ status }).at(-1)]),
    [
      ['draft', 'submit'],
      ['in_review', 'approve'],
      ['approved', 'publish'],
      ['published', 'archive'],
      ['archived', undefined],
    ],
  );
});

test('keeps the submitter from approving', () => {
  assert.equal(isOwnRequest({ status: 'in_review', submittedBy: 'a' }, 'a'), true);
  assert.equal(isOwnRequest({ status: 'in_review', submittedBy: 'a' }, 'b'), false);
  assert.equal(isOwnRequest({ status: 'draft', submittedBy: 'a' }, 'a'), false);
  assert.equal(isOwnRequest({ status: 'in_review', submittedBy: 'a' }, null), false);
});
