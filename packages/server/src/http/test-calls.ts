import type { FastifyInstance } from 'fastify';
import { keys } from './test-app.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely; their schemas are checked by the app.
  readonly json: any;
  readonly text: string;
}

/** Sends one request into the app like a client, with the tests' editor key unless another is given. */
export type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: unknown,
  key?: string,
) => Promise<Answer>;

export function callsOf(app: FastifyInstance): Call {
  return async (method, url, body, key = keys.editor) => {
    const answer = await app.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        'x-requested-with': 'test',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      text: answer.body,
      json: answer.body === '' ? null : JSON.parse(answer.body),
    };
  };
}
