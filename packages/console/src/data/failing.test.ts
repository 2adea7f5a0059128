import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { type ErrorCode, errorRegistry } from '@arbiter/contract/core/errors';
import { ApiError } from '@arbiter/sdk/caller';
import { connectionAfter } from './connection.ts';
import { codeOf, endsSession, type Failure, failureOf, passes } from './failure.ts';
import { callsLeft, notePace, waitBefore } from './pace.ts';
import { adviceFor } from './problems.ts';
import { retryWait } from './query-client.ts';
import { sessionLeft } from './session.ts';

const codes = Object.keys(errorRegistry) as ErrorCode[];

function refusal(code: ErrorCode, more: object = {}): Failure {
  const { status, title } = errorRegistry[code];
  const problem = {
    type: `urn:arbiter:error:${code}`,
    title,
    status,
    code,
    requestId: 'r1',
    error: title,
    errors: [],
    ...more,
  };
  return failureOf(new ApiError('offers.update', status, problem));
}

test('has advice for every code', () => {
  const titles = new Set<string>();
  for (const code of codes) {
    const { title, text, requestId } = adviceFor(refusal(code), operations['offers.update'], 'editor');
    assert.ok(title.length > 5 && text.length > 20, code);
    assert.ok(!`${title} ${text}`.includes('_'), `${code} is said in words`);
    assert.equal(requestId, 'r1');
    titles.add(title);
  }
  assert.equal(titles.size, codes.length, 'no two codes say the same');
});

test('shows an unknown code as sent', () => {
  const sent = {
    type: 'urn:arbiter:error:too_cold',
    title: 'Too cold',
    status: 409,
    code: 'too_cold',
    requestId: 'r1',
    error: 'It is 3 degrees.',
    errors: [],
  };
  // As it comes over the wire, where no type holds it to the codes of today.
  const failure = failureOf(new ApiError('offers.update', 409, JSON.parse(JSON.stringify(sent))));
  const { title, text, detail, act } = adviceFor(failure, operations['offers.update'], 'editor');
  assert.equal(title, 'Too cold');
  assert.match(text, /too_cold/);
  assert.deepEqual([detail, act], ['It is 3 degrees.', 'retry']);
});

test("doesn't take a gateway's problem document for an error of Arbiter", () => {
  const sent = { type: 'about:blank', title: 'Bad Gateway', status: 502, detail: 'upstream connect error' };
  const failure = failureOf(new ApiError('offers.update', 502, JSON.parse(JSON.stringify(sent))));
  assert.deepEqual(failure, { kind: 'foreign', status: 502 });
  assert.equal(adviceFor(failure, operations['offers.update'], 'editor').detail, 'HTTP 502');
});

test('a permission error names the required role', () => {
  const { text } = adviceFor(refusal('forbidden'), operations['apiKeys.create'], 'viewer');
  assert.match(text, /admin role/);
  // Refused for another reason than the role.
  assert.doesNotMatch(adviceFor(refusal('forbidden'), operations['apiKeys.create'], 'admin').text, /admin role/);
});

test("shows the server's detail beside the advice, once", () => {
  assert.equal(adviceFor(refusal('in_use'), operations['offers.delete'], 'editor').detail, null);
  assert.equal(
    adviceFor(refusal('in_use', { error: 'used by 2 flows' }), operations['offers.delete'], 'editor').detail,
    'used by 2 flows',
  );
  assert.equal(adviceFor(refusal('rate_limited', { retryAfterSeconds: 7 }), operations['offers.list']).waitSeconds, 7);
});

test('tells a lost response from an error, and an unsafe retry from a safe one', () => {
  const lost = failureOf(new TypeError('Failed to fetch'));
  assert.deepEqual(lost, { kind: 'unreachable' });
  assert.deepEqual(failureOf(new TypeError('NetworkError when attempting to fetch resource.')), {
    kind: 'unreachable',
  });
  assert.deepEqual(failureOf(new TypeError('Load failed')), { kind: 'unreachable' });
  assert.equal(failureOf(new TypeError("Cannot read properties of undefined (reading 'a')")).kind, 'defect');
  assert.equal(failureOf(new TypeError('offers.get needs params.id')).kind, 'defect');
  assert.deepEqual(failureOf(new DOMException('slow', 'TimeoutError')), { kind: 'timeout' });
  assert.deepEqual(failureOf(new DOMException('left', 'AbortError')), { kind: 'abandoned' });
  assert.deepEqual(failureOf(new ApiError('offers.get', 502, null)), { kind: 'foreign', status: 502 });
  const read = adviceFor(lost, operations['offers.list']);
  const write = adviceFor(lost, operations['offers.update']);
  const repeatable = adviceFor(lost, operations['decisions.respond']);
  assert.deepEqual([read.act, write.act, repeatable.act], ['retry', 'reload', 'retry']);
  // Setting the same values twice is harmless; the page keeps them.
  assert.equal(adviceFor(lost, operations['tenantSettings.update']).act, 'retry');
  assert.match(write.title, /^We don't know/);
  assert.match(repeatable.text, /safely try again/);
});

test('retries only failures that can resolve on their own', () => {
  const trying = codes.filter((code) => passes(refusal(code)));
  assert.deepEqual(trying, ['unavailable', 'overloaded']);
  assert.ok(passes({ kind: 'unreachable' }) && passes({ kind: 'timeout' }) && passes({ kind: 'foreign', status: 502 }));
  assert.ok(!passes({ kind: 'foreign', status: 404 }) && !passes({ kind: 'abandoned' }));
});

test('waits longer before each retry, at most 30 s, with jitter', () => {
  assert.equal(retryWait(0, 0), 500);
  assert.equal(retryWait(0, 1), 1_000);
  assert.equal(retryWait(3, 0), 4_000);
  assert.equal(retryWait(12, 1), 30_000);
});

test('distinguishes an ended session from a wrong password', () => {
  assert.deepEqual(
    codes.filter((code) => endsSession(refusal(code))),
    ['unauthorized'],
  );
});

test('counts an error response as a connection', () => {
  assert.equal(connectionAfter(null), 'well');
  assert.equal(connectionAfter(refusal('validation_failed')), 'well');
  assert.equal(connectionAfter(refusal('unavailable')), 'unavailable');
  assert.equal(connectionAfter({ kind: 'foreign', status: 503 }), 'unavailable');
  assert.equal(connectionAfter({ kind: 'unreachable' }), 'unreachable');
  for (const kind of ['timeout', 'abandoned'] as const) assert.equal(connectionAfter({ kind }), null);
  assert.equal(codeOf({ kind: 'timeout' }), null);
});

test('paces many calls, and leaves some of the limit to the user', () => {
  const operation = { id: 'pace.test' };
  const headers = (remaining: number) =>
    new Headers({ 'RateLimit-Remaining': `${remaining}`, 'RateLimit-Reset': '10' });
  assert.equal(waitBefore(operation, 5, 0), 0, 'nothing is known yet');
  notePace(operation, headers(6), 1_000);
  assert.equal(callsLeft(operation, 1_000), 6);
  assert.equal(waitBefore(operation, 5, 1_000), 0);
  notePace(operation, headers(5), 1_000);
  assert.equal(waitBefore(operation, 5, 1_000), 10_000);
  assert.equal(waitBefore(operation, 5, 8_000), 3_000);
  assert.equal(waitBefore(operation, 5, 11_000), 0);
  // Operations of one bucket share what is left.
  const shared = (id: string) => ({
    id,
    rateLimits: [{ limit: 3, windowSeconds: 1, per: 'tenant', bucket: 'b' } as const],
  });
  notePace(shared('one'), headers(0), 0);
  assert.equal(callsLeft(shared('two'), 0), 0);
});

test('warns two minutes before a session ends', () => {
  const end = '2026-01-01T00:10:00Z';
  const at = (time: string) => sessionLeft(end, Date.parse(time));
  assert.deepEqual(at('2026-01-01T00:07:59Z'), { ms: 121_000, warn: false });
  assert.deepEqual(at('2026-01-01T00:08:00Z'), { ms: 120_000, warn: true });
  assert.deepEqual(at('2026-01-01T01:00:00Z'), { ms: 0, warn: true });
  assert.equal(sessionLeft(null, 0), null);
});
