// Runs in a process of its own: it takes as long as many others together.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { isInTurn, shareOf } from '../form.ts';
import { type Call, examples } from './examples.ts';
import { createFixtures, type Fixtures, randomId } from './fixtures.ts';
import { declaredPlaces, type Place, placesOf, unique } from './places.ts';
import { type Answer, at, type Path, type SendOptions, send, urlOf, withAt } from './requests.ts';

/**
 * Hostile input for every field of every operation (docs/design/quality.md T16, T17, T33, R19). What is accepted is stored and
 * returned byte for byte, everything else is 4xx; nothing is 5xx and nothing takes a second of processor time.
 */

interface HostileString {
  readonly class: string;
  readonly text: string;
  /** Repetitions of the text; default 1. */
  readonly times?: number;
}

const file = new URL('./hostile-strings.json', import.meta.url);
const hostile = (JSON.parse(readFileSync(file, 'utf8')) as HostileString[]).map(({ text, times }) =>
  text.repeat(times ?? 1),
);
/** A selection from all classes, for fields that take no free text and for parameters. */
const few = hostile.filter((_, index) => index % 12 === 0);
/**
 * In the short form, a run takes half of the operations, and each of them a share of the strings and a larger one of other
 * values. No two shares have a common divisor, so that each operation gets each string in time.
 */
const shares = { operations: 2, strings: 11, values: 5 };
const numbers = ['-0', '-1', '0.5', '-1e308', '5e-324', '2147483648', '9007199254740993', '1e21'];
const longList: readonly number[] = new Array<number>(400_000).fill(0);
const wrongTypes = [null, true, [[null]], { a: { b: [] } }];

const all: readonly Operation[] = Object.values(operations);
/** Processor time of this process, which runs the server: on a busy machine, wall time says nothing about a request. */
const maximumCpuMs = 1000;
/** Covers waiting for the database, on a busy machine. */
const maximumMs = 15_000;
const atOnce = 4;
/**
 * Fields whose value the contract transforms: a schema's name becomes the name of a table, unknown scopes of an OAuth
 * client are dropped, secrets of a provider are masked.
 */
const reshaped: Readonly<Record<string, readonly string[]>> = {
  'schemas.create': ['name'],
  // The response lists the schemas in use. A text in place of an address or a manager is its value.
  'scim.createUser': ['schemas', 'emails', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  'scim.replaceUser': ['schemas', 'emails', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  'oauthClients.create': ['scopes'],
  // The response has the granted scopes: all of the client's for a text without any.
  'oauth.token': ['scope'],
  // A preview is rendered.
  'content.preview': ['content'],
  'channels.create': ['providerConfig'],
  'channels.update': ['providerConfig'],
  'channels.updateById': ['providerConfig'],
};

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

/** Sends a request and checks what holds for every answer. */
async function sendHostile(operation: Operation, call: Call, options: SendOptions): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const started = performance.now();
    const cpuBefore = process.cpuUsage();
    const answer = await send(server, operation, call, options);
    const { user, system } = process.cpuUsage(cpuBefore);
    const [tookMs, cpuMs] = [performance.now() - started, (user + system) / 1000];
    const request = () =>
      `${operation.method} ${urlOf(operation, call)} ${String(options.raw ?? JSON.stringify(call.body)).slice(0, 2000)}`;
    // A distant catalogue version is well formed but never arrives (docs/design/api-settled.md 8).
    const isNotFresh = Reflect.get(Object(answer.json), 'code') === 'not_fresh';
    if (answer.status >= 500 && !isNotFresh)
      assert.fail(`${answer.status} ${answer.text}\n${request()}\n${lastError()}`);
    if (isNotFresh || (cpuMs < maximumCpuMs && tookMs < maximumMs)) return answer;
    // The processor time includes requests that run at the same time.
    if (tries === 4)
      assert.fail(`${Math.round(tookMs)} ms, of those ${Math.round(cpuMs)} ms of processor time: ${request()}`);
  }
}

const lastError = () =>
  JSON.stringify(server.log.filter(({ level }) => level === 'error' || level === 'fatal').at(-1) ?? {}).slice(0, 1500);

/** Works on several items at a time; `one`: one at a time, for changes of one record. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>, one = false): Promise<void> {
  const step = one ? 1 : atOnce;
  for (let start = 0; start < items.length; start += step) {
    await Promise.all(items.slice(start, start + step).map(work));
  }
}

let counter = 0;

/** Returns the body with a new name, key and request id, so that calls don't conflict. */
function renewed(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  counter += 1;
  const copy: Record<string, unknown> = { ...body };
  for (const name of ['name', 'key']) if (typeof copy[name] === 'string') copy[name] = `${copy[name]}${counter}`;
  if (typeof copy.email === 'string') copy.email = `${counter}.${copy.email}`;
  if (typeof copy.requestId === 'string') copy.requestId = randomId();
  if (typeof copy.idempotencyKey === 'string') copy.idempotencyKey = `key ${counter}`;
  return copy;
}

const keyOf = (body: Call['body']): object => {
  const key: unknown = Reflect.get(body ?? {}, 'key');
  return key === undefined ? {} : { key };
};

const getOf = (operation: Operation): Operation | undefined =>
  all.find(({ id }) => id === `${operation.id.split('.')[0]}.get`);

/** Compares what was sent in these fields with the response, and with what is read afterwards. */
async function assertKept(
  operation: Operation,
  key: string,
  body: unknown,
  answer: Answer,
  places: readonly Path[],
): Promise<void> {
  // A decision returns what it decided, not what it was sent.
  if (operation.id.startsWith('decisions.')) return;
  const id = at(answer.json, ['id']);
  const get = getOf(operation);
  const shown = [answer.json];
  // Every third time, because the response comes from the stored row as well.
  if (typeof id === 'string' && get !== undefined && counter % 3 === 0) {
    const read = await send(server, get, { params: { id } }, { key });
    if (read.status === 200) shown.push(read.json);
  }
  for (const place of places) {
    if (reshaped[operation.id]?.includes(String(place[0])) === true) continue;
    for (const json of shown) {
      const kept = at(json, place);
      if (typeof kept === 'string') assert.equal(kept, at(body, place), `${operation.id} ${place.join('.')}`);
    }
  }
}

/** Lines of a streamed body are judged one by one in a response of 200, tested in history-import.test.ts. */
const writing = all.filter(
  ({ method, body, bodyKind }) => method !== 'GET' && body !== undefined && bodyKind !== 'stream',
);
const isInRun = ({ id }: Operation) => isInTurn(id, shares.operations);
/** The collection style shares its handler and schema with `/{id}`, which is tested in full. */
const isTwin = ({ id }: Operation) => id.endsWith('.update') && Object.hasOwn(operations, `${id}ById`);

for (const operation of writing.filter(isInRun)) {
  describe(operation.id, () => {
    const example = examples[operation.id];
    if (example === undefined) return;
    let tenant: TestTenant;
    let own: Fixtures;
    let key: string;
    let call: Call;
    let strings: Place[];
    let free: Path[];
    const twin = isTwin(operation);
    const changesOne = operation.method !== 'POST';
    const ask = (body: unknown, raw?: string) =>
      sendHostile(
        operation,
        { ...call, body: body as Record<string, unknown> },
        {
          key,
          ...(raw === undefined ? {} : { raw }),
        },
      );
    // A key that can't change must stay as it is.
    const body = () => (changesOne ? { ...renewed(call.body ?? {}), ...keyOf(call.body) } : renewed(call.body ?? {}));

    before(async () => {
      tenant = await server.createTenant();
      own = createFixtures(server, tenant);
      call = await example(own);
      ({ admin: key } = await own.credentials(operation));
      const places = unique([...placesOf(call.body), ...declaredPlaces(operation.body)]);
      strings = places.filter(({ kind }) => kind === 'string');
      // A field is free if it accepts a harmless odd text, as the product decides.
      free = [];
      for (const { path } of strings) {
        const answer = await ask(withAt(body(), path, `Grüße, Nr. ${++counter}`));
        if (answer.status < 300) free.push(path);
      }
      // All texts of a flow route are ids.
      const mustHave = /\.(create|updateById)$/.test(operation.id) && !operation.id.startsWith('flowRoutes.');
      assert.ok(free.length > 0 || !mustHave, 'the example itself is refused, so nothing would be tried');
    });

    it('hostile strings: stored = returned, or 4xx', async () => {
      /** Fills all fields. If the call is refused, fills each half, so that no field hides another. */
      const fill = async (text: string, places: readonly Path[]): Promise<void> => {
        const filled = places.reduce((whole, path) => withAt(whole, path, text), body());
        const answer = await ask(filled);
        if (answer.status < 300) return assertKept(operation, key, filled, answer, places);
        if (places.length < 2) return;
        const half = places.length >> 1;
        await fill(text, places.slice(0, half));
        await fill(text, places.slice(half));
      };
      // A change passes the same checks as a creation, and a new table costs the database a lot: use only some texts of
      // each class.
      const share = operation.id === 'schemas.create' ? 4 : changesOne ? 3 : 1;
      const own = hostile.filter((_, index) => index % share === all.indexOf(operation) % share);
      const texts = shareOf(twin ? few : own, operation.id, shares.strings);
      await inTurns(texts, (text) => fill(text, free), changesOne);
      if (twin) return;
      const strict = strings.filter(({ path }) => !free.some((each) => each.join('/') === path.join('/')));
      const attempts = strict.flatMap(({ path }) => few.map((text) => ({ path, text })));
      await inTurns(
        shareOf(attempts, operation.id, shares.strings),
        async ({ path, text }) => {
          const single = withAt(body(), path, text);
          const answer = await ask(single);
          if (answer.status < 300) await assertKept(operation, key, single, answer, [path]);
        },
        changesOne,
      );
    });

    it('extreme numbers: stored = returned, or 4xx', async () => {
      const places = unique([...placesOf(call.body), ...declaredPlaces(operation.body)]);
      const attempts = places
        .filter(({ kind }) => kind === 'number')
        .flatMap(({ path }) => (twin ? numbers.slice(-3) : numbers).map((literal) => ({ path, literal })));
      await inTurns(
        shareOf(attempts, operation.id, shares.values),
        async ({ path, literal }) => {
          const raw = JSON.stringify(withAt(body(), path, '@number@')).replace('"@number@"', literal);
          const answer = await ask({}, raw);
          const kept = at(answer.json, path);
          // -0 is stored as 0 (docs/design/quality.md T17).
          if (answer.status < 300 && typeof kept === 'number') assert.equal(kept, Number(literal) + 0, path.join('.'));
        },
        changesOne,
      );
    });

    it('values of another type, huge texts, long lists', async () => {
      const names = Object.keys((Reflect.get(operation.body ?? {}, 'properties') ?? {}) as object);
      const attempts = names.flatMap((name) =>
        (twin ? wrongTypes.slice(0, 1) : wrongTypes).map((value) => ({ name, value })),
      );
      await inTurns(
        shareOf(attempts, operation.id, shares.values),
        async ({ name, value }) => void (await ask(withAt(body(), [name], value))),
      );
      if (twin) return;
      const large = [
        [names[0], 'x'.repeat(1_000_000)],
        [names.at(-1), longList],
        [names.at(-2), '('.repeat(900_000)],
      ] as const;
      for (const [name, value] of shareOf(large, operation.id, large.length))
        await ask(withAt(body(), [name ?? 'x'], value));
    });

    it('open objects: hostile keys and deep values are kept, or 4xx', async () => {
      const keys = hostile.filter((text) => text.length < 100 && !['__proto__', 'constructor'].includes(text));
      const odd = Object.fromEntries(keys.map((text, index) => [text, index]));
      let deep: unknown = 'bottom';
      for (let depth = 0; depth < 55; depth += 1) deep = depth % 2 === 0 ? [deep] : { a: deep };
      // Connectors move secrets from their settings to their credentials.
      const storedOf = (value: object): object =>
        operation.id.startsWith('connectors.')
          ? Object.fromEntries(Object.entries(value).filter(([name]) => !/passw|cookie/i.test(name)))
          : value;
      for (const { path } of declaredPlaces(operation.body).filter(({ kind }) => kind === 'open')) {
        for (const value of [odd, { deep }, { '': '' }, Object.fromEntries([['a'.repeat(70_000), 1]])]) {
          const sent = withAt(body(), path, value);
          const answer = await ask(sent);
          const answered = at(answer.json, path);
          // A preview adds the rendered parts of the item's templates.
          const kept =
            operation.id === 'content.preview' && path[0] === 'content' && answered !== undefined
              ? Object.fromEntries(Object.keys(value).map((key) => [key, Reflect.get(Object(answered), key)]))
              : answered;
          // Keys without effect aren't stored if the response says so.
          if (answer.headers['x-unknown-properties'] !== undefined) continue;
          if (answer.status < 300 && kept !== undefined && kept !== null)
            assert.deepEqual(kept, storedOf(value), path.join('.'));
        }
      }
    });
  });
}

const reading = all.filter(
  ({ params, query, auth }) => auth === 'credential' && (params !== undefined || query !== undefined),
);

describe('hostile parameters', () => {
  const rawSegments = [
    '%',
    '%zz',
    '%00',
    '%ff%fe',
    '%c0%ae',
    '..%2f..%2fx',
    '%2e%2e',
    '%0d%0aX-Evil:%201',
    '%F0%9F%98%80',
    '+',
    '~',
    '*',
    '%25%30%30',
  ];
  const oddQueries = ['%', 'a=%zz', '&&&', '=', 'limit', 'limit[]=1', 'limit[a]=1', '__proto__=1', 'a'.repeat(9000)];
  for (const operation of reading.filter(isInRun)) {
    it(operation.id, async () => {
      const example = examples[operation.id];
      if (example === undefined) return;
      const tenant = await server.createTenant();
      const own = createFixtures(server, tenant);
      const { admin: key } = await own.credentials(operation);
      const call = await example(own);
      const parts = (['params', 'query'] as const).flatMap((part) =>
        Object.keys((Reflect.get(operation[part] ?? {}, 'properties') ?? {}) as object).map((name) => [part, name]),
      );
      const limitOf = (operation.rateLimits ?? []).some(({ limit }) => limit < 100);
      if (limitOf) return;
      await inTurns(
        shareOf(
          parts.flatMap((path) => few.map((text) => ({ path, text }))),
          operation.id,
          shares.strings,
        ),
        async ({ path, text }) => {
          // A path parameter is sent in the path: an empty one would be another path.
          if (path[0] === 'params' && text.length > 8000) return;
          await sendHostile(operation, withAt(call, path, text.slice(0, 4000)), { key });
        },
      );
      for (const segment of operation.params === undefined ? [] : shareOf(rawSegments, operation.id, shares.values)) {
        const path = operation.path.replace(/\{[^}]+\}/, segment);
        // Clients resolve `%2e%2e`, which may lead to another operation: `/pipelines/%2e%2e/runs` to `/runs`.
        const resolved = new URL(path, 'http://localhost').pathname;
        if (all.some((other) => other.method === operation.method && other.path === resolved)) continue;
        const answer = await sendHostile({ ...operation, path }, { ...call, params: {} }, { key });
        // A customer id may be any text, and an unknown customer has no data. A dataset's key only labels its progress
        // for people: there is one load at a time.
        const mayBeAnything =
          (operation.path.includes('{customerId}') || operation.id === 'seedDatasets.status') && answer.status === 200;
        assert.ok(answer.status >= 400 || mayBeAnything, `${path}: ${answer.status}`);
      }
      for (const query of shareOf(oddQueries, operation.id, shares.values)) {
        await sendHostile({ ...operation, path: `${urlOf(operation, { ...call, query: {} })}?${query}` }, {}, { key });
      }
    });
  }
});

describe('never echoes', () => {
  it('reads values of data rows as sent, in texts, keys and JSON', async () => {
    const own = createFixtures(server, server.tenants[0]);
    const { id } = await own.must(
      'POST',
      'schemas',
      {
        name: 'hostile_rows',
        displayName: 'Rows',
        fields: [
          { name: 'row_id', displayName: 'Id', dataType: 'text', isPrimaryKey: true, isNullable: false },
          { name: 'words', displayName: 'Words', dataType: 'varchar' },
          { name: 'tree', displayName: 'Tree', dataType: 'jsonb' },
        ],
      },
      201,
    );
    const taken: Record<string, unknown>[] = [];
    const insert = (row: object) => server.call('POST', `/api/v1/schemas/${id}/data`, { body: { rows: [row] } });
    for (const [index, text] of hostile.entries()) {
      const tree = text === '__proto__' || text === 'constructor' ? [text] : { [text]: [text] };
      let row = { row_id: text, words: text, tree };
      // The row key is a customer id and follows its rules. Every text is tried as a value all the same.
      if ((await insert(row)).status === 400) {
        row = { ...row, row_id: `row ${index}` };
        const again = await insert(row);
        assert.equal(again.status, 201, again.text);
      }
      taken.push(row);
    }
    const page = await server.call<{ rows: Record<string, unknown>[] }>('GET', `/api/v1/schemas/${id}/data?limit=500`);
    const byKey = new Map(page.body.rows.map((row) => [row.row_id, row]));
    for (const row of taken) {
      assert.deepEqual(byKey.get(row.row_id), row);
      const one = await server.call<{ rows: unknown[] }>(
        'GET',
        `/api/v1/schemas/${id}/data?key=${encodeURIComponent(String(row.row_id))}`,
      );
      assert.deepEqual(one.body.rows, [row]);
    }
  });

  it("a decision's record has its inputs as sent, and replays", async () => {
    const own = createFixtures(server, server.tenants[0]);
    const { channel, creative, flow } = await own.decisionWorld();
    const personalization = [{ variable: 'page', source: 'attributes.page', fallback: 'none' }];
    await own.must('PUT', `creatives/${creative.id}`, { content: { subject: '{page}' }, personalization }, 200);
    let decided = 0;
    await inTurns(hostile, async (text) => {
      for (const customerId of [text, `x${text}x`]) {
        const answer = await server.call('POST', '/api/v1/recommend', {
          body: {
            customerId,
            channelId: channel.id,
            decisionFlowKey: flow.key,
            attributes: { page: text },
            context: { page: text.slice(0, 1000) },
          },
        });
        assert.ok(answer.status < 500, answer.text);
        if (answer.status !== 200 || customerId === 'anonymous') continue;
        decided += 1;
        assert.equal(answer.body.customerId, customerId);
        const path = `/api/v1/decisions/${String(answer.body.recommendationId)}`;
        const record = await server.call('GET', `${path}?include=inputs`);
        assert.equal(record.body.customerId, customerId);
        assert.equal(at(answer.body, ['decisions', 0, 'content', 'subject']), text);
        assert.equal(at(record.body, ['inputs', 'request', 'attributes', 'page']), text);
        const replayed = await server.call('POST', `${path}/replay`, { body: {} });
        assert.equal(replayed.body.identical, true, replayed.text);
      }
    });
    assert.ok(decided > hostile.length, `${decided} decisions`);
  });
});
