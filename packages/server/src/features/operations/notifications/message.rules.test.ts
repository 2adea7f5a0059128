import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attached, maxAttachedBytes, type OutgoingMessage, webhookBody } from './message.rules.ts';

const file = (bytes: number) => ({
  format: 'pdf',
  mimeType: 'application/pdf',
  fileName: 'a.pdf',
  content: Buffer.alloc(bytes),
});

test("an email carries up to 10 MB of files; one byte more, and they're behind its link", () => {
  const half = maxAttachedBytes / 2;
  assert.equal(maxAttachedBytes, 10_485_760);
  assert.equal(attached([file(half), file(half)]).length, 2);
  assert.deepEqual(attached([file(half), file(half + 1)]), []);
});

test("a webhook has files as base64 next to its data, which doesn't change without files", () => {
  const message: OutgoingMessage = {
    id: 'i',
    type: 'report',
    tenantId: 't',
    severity: 'info',
    title: 'T',
    message: 'M',
    fields: [],
    sourceUrl: null,
    data: { runId: 'r' },
    sentAt: '2026-11-20T09:00:00.000Z',
  };
  assert.deepEqual(Reflect.get(webhookBody(message), 'data'), { runId: 'r' });
  assert.deepEqual(Reflect.get(webhookBody(message, [{ ...file(0), content: Buffer.from('hi') }]), 'data'), {
    runId: 'r',
    artifacts: [{ format: 'pdf', mimeType: 'application/pdf', fileName: 'a.pdf', bytes: 2, base64: 'aGk=' }],
  });
});
