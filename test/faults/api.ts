// A small client over node:http, so that tests see what a real client sees: broken connections, late answers.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailableCode } from '../deadline.ts';
import { stopwatch } from './stopwatch.ts';

/** A response. `status` 0: none (refused, reset, cut off); `error` says how. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly error: string | null;
  /** From the call to the complete response, without stalls of the client itself. */
  readonly ms: number;
}

export type Caller = (
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** How long a test waits for an answer before it counts as missing. Longer than any limit, also on a busy machine. */
const patienceMs = 20_000;

/** Calls `base` + path with the key, over shared keep-alive connections, as a service's client would. */
export function createCaller(base: () => string, key: string, sockets = 64): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  return (method, path, body, headers = {}) => call(agent, new URL(`/api${path}`, base()), method, key, body, headers);
}

/**
 * Like `createCaller`, for tests that aren't about overload: retries as the response says if the server, or its store
 * of rate limits, had no time on a busy machine. Such a call had no effect. `ms` is the time of the last attempt.
 */
export function createPatientCaller(base: () => string, key: string, sockets = 64): Caller {
  const once = createCaller(base, key, sockets);
  return async (...call) => {
    const elapsed = stopwatch();
    for (;;) {
      const answer = await once(...call);
      const isBusy =
        (answer.status === 503 && answer.body.code === 'overloaded') ||
        (answer.status === 429 && answer.text.includes("can't be checked right now"));
      if (!isBusy || elapsed() > patienceMs) return answer;
      await sleep(250);
    }
  };
}

function call(
  agent: Agent,
  url: URL,
  method: string,
  key: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const elapsed = stopwatch();
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    const fail = (error: Error): void => {
      const code: unknown = Reflect.get(error, 'code');
      const text = typeof code === 'string' ? code : error.message;
      resolve({ status: 0, body: {}, text: '', headers: {}, error: text, ms: elapsed() });
    };
    const sent = httpRequest(
      url,
      {
        agent,
        method,
        timeout: patienceMs,
        headers: {
          authorization: `Bearer ${key}`,
          'x-requested-with': 'XMLHttpRequest',
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('aborted', () => fail(new Error('cut off')));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            body: parsed(text),
            text,
            headers: response.headers,
            error: null,
            ms: elapsed(),
          });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', fail);
    sent.end(payload);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns the body of a response that must be a success. */
export async function must(answer: Promise<Answer>): Promise<Record<string, unknown>> {
  const got = await answer;
  if (got.status < 200 || got.status > 299) {
    const code = got.status === 503 ? unavailableCode : '';
    throw Object.assign(new Error(`${got.status} ${got.error ?? ''} ${got.text}`), { code });
  }
  return got.body;
}

/** The offers, interactions and so on inside a recommend answer. */
export interface Item {
  readonly rank: number;
  readonly interactionId: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly impressionRecorded: boolean;
  readonly reservation: { readonly id: string } | null;
}

export const itemsOf = (body: Readonly<Record<string, unknown>>): readonly Item[] => (body.decisions ?? []) as Item[];
