import { pageSize } from '@arbiter/contract';
import { type Handlers, handlerEntries, reply } from '../../../packages/server/src/http/handler.ts';
import type { Authenticate } from '../../../packages/server/src/http/principal.ts';
import type { TestOperations } from '../../../packages/server/src/main/compose-options.ts';
import { AppError } from '../../../packages/server/src/platform/app-error.ts';
import { kindOperations, kindPage } from './contract.ts';

export const operatorSecrets = {
  CRON_TOKEN: null,
  CRON_SECRET: 'a secret of the scheduler',
  WEBHOOK_SIGNING_SECRET: 'a secret of the provider',
  WHATSAPP_APP_SECRET: 'another secret of the provider',
} as const;

const numbers = [1, 2, 3, 4, 5, 6, 7];

async function* letters() {
  for (const data of 'ab') yield { data };
}

const handlers: Handlers<typeof kindOperations> = {
  session: async (_tx, { body }) => reply(200, { word: body.word }),
  scim: async (_tx, { body }) => reply(201, { word: body.word }),
  cron: async () => reply(200, { word: 'run' }),
  webhook: async ({ body }) => reply(200, body.bytes.length),
  token: async ({ body }) => {
    if (body.word === 'stranger') throw new AppError('unauthorized', { detail: 'Unknown client.' });
    if (body.word === 'grant') throw new AppError('validation_failed', { formatCode: 'unsupported_grant_type' });
    return reply(200, { word: body.word.repeat(body.times ?? 1) });
  },
  form: async (_tx, { body }) => reply(200, body),
  async upload({ body }) {
    let word: string | null = null;
    const files = [];
    for await (const part of body) {
      if (part.kind === 'field') {
        word = part.value;
        continue;
      }
      let bytes = 0;
      // "skip" isn't read at all; the next part must arrive all the same.
      if (part.name !== 'skip') for await (const chunk of part.content) bytes += chunk.length;
      files.push({ name: part.name, fileName: part.fileName, mediaType: part.mediaType, bytes });
    }
    return reply(200, { word, files });
  },
  async jsonOrEvents({ wantsEvents }) {
    return reply(200, wantsEvents ? letters() : { word: 'ab' });
  },
  async file({ params, signal }) {
    if (params.format === 'text') {
      return reply(200, { fileName: 'Übersicht "1".txt', mediaType: 'text/plain; charset=utf-8', content: 'whole' });
    }
    if (params.format !== 'csv') throw new AppError('not_found');
    async function* rows() {
      for (let row = 0; row < 3 && !signal.aborted; row += 1) yield `${row},x\n`;
    }
    return reply(200, { fileName: 'rows.csv', content: rows() });
  },
  async events({ query, headers, signal }) {
    async function* events() {
      const from = Number(headers['Last-Event-ID'] ?? 0);
      for (let number = from + 1; number <= 3; number += 1)
        yield { id: String(number), event: 'count', data: { number } };
      if (query.forever !== true) return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    }
    return reply(200, events());
  },
  async offsetList({ query }) {
    const limit = pageSize(kindPage, query.limit);
    const offset = query.offset ?? 0;
    const data = numbers.slice(offset, offset + limit);
    return reply(200, { data, pagination: { total: numbers.length, limit, offset } });
  },
  plainList: async ({ query }) => reply(200, numbers.slice(0, pageSize(kindPage, query.limit))),
};

/** The operations of the test contract, served along with the real ones. A person's key identifies the session. */
export const kinds: TestOperations = {
  operations: Object.fromEntries(Object.values(kindOperations).map((each) => [each.id, each])),
  handlers: handlerEntries(kindOperations, handlers),
  secrets: operatorSecrets,
  authenticate: (real) => sessionsByKey(real),
};

function sessionsByKey(real: Authenticate): Authenticate {
  return async (presented, beforeLookUp) => {
    // A session that the server opened has the form of a token.
    if (presented.kind === 'session' && presented.value.includes('.')) return real(presented, beforeLookUp);
    const principal = await real({ kind: 'apiKey', value: presented.value });
    return principal === null ? null : { ...principal, kind: presented.kind };
  };
}
