import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { ApiError } from './api-error.ts';
import type { ResponseEvent } from './events.ts';
import { type FollowOptions, followOperation } from './follow.ts';

const stream = operations['events.stream'];

/** A server that sends chunks, then stays silent until the client leaves; null ends the response. */
function serverOf(chunks: readonly (string | null)[]) {
  const sent: { url: string; accept: string | null; hasLeft: boolean }[] = [];
  const fetch: NonNullable<FollowOptions['fetch']> = async (url, init) => {
    const request = { url: String(url), accept: new Headers(init?.headers).get('accept'), hasLeft: false };
    sent.push(request);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        init?.signal?.addEventListener('abort', () => {
          request.hasLeft = true;
          if (!chunks.includes(null)) controller.error(init.signal?.reason);
        });
        for (const chunk of chunks) {
          if (chunk === null) controller.close();
          else controller.enqueue(new TextEncoder().encode(chunk));
        }
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return { sent, options: { baseUrl: 'http://localhost/', fetch } };
}

async function eventsOf(events: AsyncIterable<ResponseEvent>): Promise<readonly ResponseEvent[]> {
  const all: ResponseEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('yields events with their positions until the server ends the stream', async () => {
  const { sent, options } = serverOf([
    ': open\n\nid: 1\nevent: a.v1\ndata: {"n":1}\n\nid: 2\neve',
    'nt: b.v1\ndata: {"n":2}\n\n: still here\n\n',
    null,
  ]);
  const events = await eventsOf(followOperation(stream, { query: { after: 'latest' } }, options));
  assert.deepEqual(events, [
    { id: '1', event: 'a.v1', data: { n: 1 } },
    { id: '2', event: 'b.v1', data: { n: 2 } },
  ]);
  assert.deepEqual(sent, [
    { url: 'http://localhost/api/v1/events/stream?after=latest', accept: 'text/event-stream', hasLeft: true },
  ]);
});

test('closes the connection when the caller leaves', async () => {
  const { sent, options } = serverOf([': open\n\ndata: 1\n\n']);
  for await (const { id, event } of followOperation(stream, {}, options)) {
    assert.deepEqual([id, event], [null, 'message']);
    break;
  }
  assert.equal(sent[0]?.hasLeft, true);
});

test('throws a TimeoutError when a stream is silent', async () => {
  const { options } = serverOf([': open\n\n']);
  await assert.rejects(eventsOf(followOperation(stream, {}, { ...options, silenceMs: 20 })), {
    name: 'TimeoutError',
  });
});

test('throws an ApiError when the server refuses', async () => {
  const fetch = async () => new Response('full', { status: 429 });
  await assert.rejects(
    eventsOf(followOperation(stream, {}, { baseUrl: 'http://localhost', fetch })),
    (error) => error instanceof ApiError && error.status === 429 && error.problem === null,
  );
});
