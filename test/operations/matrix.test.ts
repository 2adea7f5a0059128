// Runs in a process of its own: it takes as long as many others together.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, it, test } from 'node:test';
import {
  type ErrorCode,
  errorCodesOf,
  errorRegistry,
  isSecret,
  isSignature,
  namesTenant,
  needsRequestedWith,
  type Operation,
  operations,
  type Problem,
  roles,
} from '@arbiter/contract';
import { bodyLimits } from '../../packages/server/src/http/input/request-body.ts';
import { createChecks } from '../../packages/server/src/http/input/validation.ts';
import { limitsOf } from '../../packages/server/src/http/limits/limits.ts';
import { bucketOf } from '../../packages/server/src/http/limits/rate-limit.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { isInTurn, isLong, shareOf } from '../form.ts';
import { archiveFolder } from './archive-file.ts';
import { type Call, examples, examplesAmiss, verifyToken } from './examples.ts';
import { fingerprint } from './fingerprint.ts';
import { createFixtures, type Fixtures, randomId } from './fixtures.ts';
import { kindOperations } from './kinds/contract.ts';
import { kindExamples } from './kinds/examples.ts';
import { kinds, operatorSecrets } from './kinds/server.ts';
import { malformedBodies } from './malformed-bodies.ts';
import {
  type Answer,
  addressOf,
  at,
  bodyTypeOf,
  type Path,
  type SendOptions,
  send,
  stringsOf,
  urlOf,
  withAt,
} from './requests.ts';

/**
 * The operation matrix (docs/architecture.md): checks what every operation must do, for every operation of the
 * contract. A new operation is covered as soon as it has an example (examples.ts). The operations of a test contract
 * (kinds/contract.ts) are tested too, so that everything an operation may declare works before a feature declares it.
 */

/** The operator's timed work covers every tenant, so it comes first, while there are few. */
const comesFirst = ({ id }: Operation): number => (id.startsWith('cron.') ? 0 : 1);
const all: readonly Operation[] = [...Object.values(operations), ...Object.values(kindOperations)].toSorted(
  (a, b) => comesFirst(a) - comesFirst(b),
);
const allExamples = { ...examples, ...kindExamples };
const metricsToken = 'a metrics token of the operation matrix';
/** High enough for the matrix. The test of the limit fills the window beforehand. */
const recommendRatePerMinute = 5000;

const resourceOf = ({ id }: Operation) => id.split('.')[0]!;
/**
 * Operations of one resource share a stranger: a single stranger for all would have too many rows to compare each time.
 */
const strangers = new Map<string, TestTenant>();

let server: TestServer;
before(async () => {
  server = await startTestServer({
    config: {
      ARCHIVE_URL: { folder: archiveFolder },
      METRICS_TOKEN: metricsToken,
      WHATSAPP_WEBHOOK_VERIFY_TOKEN: verifyToken,
      RECOMMEND_RATE_PER_MINUTE: recommendRatePerMinute,
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'a secret of the matrix',
      // Nothing listens there.
      GOOGLE_ISSUER_URL: 'http://127.0.0.1:65535',
    },
    testOperations: kinds,
  });
});
after(async () => {
  await server?.close();
  await rm(archiveFolder, { recursive: true, force: true });
});

test('every operation has an example, and every example an operation', () => {
  const { missing, unknown } = examplesAmiss();
  assert.deepEqual(missing, [], 'add a line for each of these operations to test/operations/examples.ts');
  assert.deepEqual(unknown, [], 'these examples belong to no operation of the contract');
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Internal details that no response may contain (docs/design/quality.md T36). */
const inside =
  /\bat [\w.<>]+ \(|\.[cm]?[jt]s:\d|node:internal|node_modules|SQLSTATE|relation "|at or near|violates (foreign|unique|check|not-null|row-level)|\bselect .+ from\b|\binsert into\b|krn_[0-9a-f]{20}/i;

/** Returns a list's page sizes as its documentation states them; null for operations without pages. */
function pageSizes(operation: Operation): { readonly usual: number; readonly maximum: number } | null {
  const limit: unknown = at(operation.query, ['properties', 'limit']);
  const maximum = /above (\d+) are treated as \1\./.exec(String(at(limit, ['description'])))?.[1];
  return maximum === undefined ? null : { usual: Number(at(limit, ['default'])), maximum: Number(maximum) };
}

/** Query parameters that are parsed, whose odd spellings are refused (docs/design/quality.md T33). */
const oddSpellings: Readonly<Record<string, readonly string[]>> = {
  integer: ['1e2', '0x10', '-0', '١٠', '1.0', ' 1', '1 ', '', '1_000', 'NaN', 'null', '0', '-1'],
  boolean: ['yes', '1', 'TRUE', '', ' true', 'null'],
};

function assertRefused(operation: Operation, answer: Answer, status: number, ...codes: ErrorCode[]): void {
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.doesNotMatch(answer.text, inside);
  if ((operation.errorFormat ?? 'problem') !== 'problem') {
    assertOtherFormat(operation, answer, codes);
    return;
  }
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem = answer.json as Problem;
  assert.equal(problem.requestId, answer.headers['x-request-id']);
  assert.equal(problem.type, `urn:arbiter:error:${problem.code}`);
  if (codes.length > 0) assert.ok(codes.includes(problem.code), `${problem.code} is none of ${codes.join(', ')}`);
  const declared: readonly string[] = errorCodesOf(operation);
  assert.ok(declared.includes(problem.code), `${operation.id} does not declare ${problem.code}`);
}

/** Errors in a format of another standard have no code of ours, or have it elsewhere. */
function assertOtherFormat(operation: Operation, answer: Answer, codes: readonly ErrorCode[]): void {
  const statuses = errorCodesOf(operation).map((code) => errorRegistry[code].status);
  assert.ok(
    statuses.some((status) => status === answer.status),
    `${operation.id} does not declare ${answer.status}`,
  );
  const said = answer.json as Record<string, unknown>;
  if (operation.errorFormat === 'scim') {
    assert.equal(answer.headers['content-type'], 'application/scim+json');
    assert.deepEqual(said.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
    assert.equal(said.status, String(answer.status));
    return;
  }
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(typeof said.error, 'string');
  if (operation.errorFormat === 'cron' && codes.length > 0) assert.ok(codes.some((code) => code === said.error));
}

/** True if a body of this declared type is accepted. */
function takes(operation: Operation, type: string | undefined): boolean {
  if (operation.bodyKind === 'raw' || operation.bodyKind === 'stream')
    return operation.mediaTypes?.some((each) => each === type) === true;
  if (operation.bodyKind === 'jsonOrForm' && type === 'application/x-www-form-urlencoded') return true;
  if (operation.bodyKind === 'scim' && type === 'application/json') return true;
  if (type === undefined || type.includes('utf-16')) return false;
  const [plain = ''] = type.split(';');
  return plain === bodyTypeOf(operation).split(';')[0] || operation.fileTypes?.includes(plain) === true;
}

/** Returns the newest version of a tenant's catalogue. */
async function versionOf({ id }: TestTenant): Promise<number> {
  const [row] = await server.testDatabase.ownerQuery<{ version: number }>(
    'select version::float8 as version from arbiter.catalogue_versions where tenant_id = $1',
    [id],
  );
  return row?.version ?? 0;
}

const codeOf = (answer: Answer): unknown => Reflect.get(Object(answer.json), 'code');

/** Returns every position of an id in a call: the UUIDs of the example, and the declared ids it leaves out. */
function idPlaces(operation: Operation, call: Call): Path[] {
  const places = stringsOf(call)
    .filter(({ value }) => uuid.test(value))
    .map(({ path }) => path);
  for (const part of ['params', 'query', 'body'] as const) {
    const properties: object = Reflect.get(operation[part] ?? {}, 'properties') ?? {};
    for (const [name, schema] of Object.entries(properties)) {
      const isId = name === 'id' || /Id$|By$/.test(name) || stringsOf(schema).some(({ value }) => value === 'uuid');
      // IDs that the tenant chooses, which refer to no record of ours.
      const isOurs = !['customerId', 'sessionId', 'userId'].includes(name);
      if (isId && isOurs && at(call, [part, name]) === undefined) places.push([part, name]);
    }
  }
  return places;
}

/** Returns the required query of a call. */
function neededQuery(operation: Operation, { query = {} }: Call): Record<string, string> {
  const required: readonly string[] = Reflect.get(operation.query ?? {}, 'required') ?? [];
  return Object.fromEntries(Object.entries(query).filter(([name]) => required.includes(name)));
}

const scalarQuery = (operation: Operation): [string, { type?: string }][] =>
  Object.entries((Reflect.get(operation.query ?? {}, 'properties') ?? {}) as Record<string, { type?: string }>).filter(
    ([, schema]) => schema.type !== 'array',
  );

/** Returns the methods available at a call's address, whichever operation serves them. */
function methodsAt(url: string): string[] {
  const [path] = url.split('?', 1);
  const found = all.filter((operation) =>
    [operation.path, ...(operation.aliases ?? [])].some((each) =>
      new RegExp(`^${each.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path!),
    ),
  );
  const methods = found.flatMap(({ method, head }) =>
    method === 'GET' && head !== false ? ['GET', 'HEAD'] : [method],
  );
  return [...new Set(methods)].sort();
}

for (const operation of all) {
  describe(operation.id, () => {
    const example = allExamples[operation.id];
    if (example === undefined) return;
    let tenant: TestTenant;
    let stranger: TestTenant;
    let own: Fixtures;
    let foreign: Fixtures;
    /** The tenant's call with its own ids. */
    let call: Call;
    /** Positions of ids in it. */
    let places: readonly Path[];
    let strangersCall: Promise<Call> | null = null;
    /** Returns the stranger's call with the stranger's ids. */
    const foreignCall = (): Promise<Call> => {
      strangersCall ??= example(foreign);
      return strangersCall;
    };
    let untouched: Record<string, string>;
    /** Credentials of each role. */
    let keys: TestTenant['keys'];
    let strangerKeys: TestTenant['keys'];
    const needsCredential = namesTenant(operation.auth);
    const rightKey = () => {
      if (needsCredential) return keys.admin;
      if (isSignature(operation.auth)) return String(Reflect.get(operatorSecrets, operation.auth.variable));
      if (!isSecret(operation.auth)) return null;
      return operation.auth.variables[0] === 'METRICS_TOKEN' ? metricsToken : operatorSecrets.CRON_SECRET;
    };
    const refusal = isSignature(operation.auth) ? 'bad_signature' : 'unauthorized';
    const isTight = (operation.rateLimits ?? []).some(({ limit }) => limit < 100);
    const ask = async (options: Partial<SendOptions> = {}, changed: Call = call) => {
      // Some limits are lower than the matrix needs; they have a test below.
      if (isTight) await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
      return send(server, operation, changed, { key: rightKey(), ...options });
    };

    before(async () => {
      // One tenant per operation, so that operations don't share rows, audit chains and limits.
      tenant = await server.createTenant();
      stranger = strangers.get(resourceOf(operation)) ?? (await server.createTenant());
      strangers.set(resourceOf(operation), stranger);
      own = createFixtures(server, tenant);
      foreign = createFixtures(server, stranger);
      call = await example(own);
      places = idPlaces(operation, call);
      if (places.length > 0) await foreignCall();
      keys = await own.credentials(operation);
      strangerKeys = await foreign.credentials(operation);
      untouched = await fingerprint(server, [tenant.id, stranger.id]);
    });

    it('rejects other methods: 405 with Allow', async () => {
      const url = urlOf(operation, call);
      const known = methodsAt(url);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (known.includes(method)) continue;
        const headers = { 'x-http-method-override': operation.method, 'x-requested-with': 'x' };
        const answer = await ask({ method, headers });
        assert.equal(answer.status, 405, `${method} ${url}: ${answer.text}`);
        if (operation.errorFormat === undefined) assert.equal(codeOf(answer), 'method_not_allowed');
        assert.equal(answer.headers.allow, known.join(', '));
      }
    });

    if (operation.auth !== 'none') {
      it('rejects a malformed credential with 401, before the body', async () => {
        const wrong = [null, '', 'undefined', 'null', `krn_${'0'.repeat(64)}`];
        const all = needsCredential ? wrong : [...wrong, tenant.keys.admin, String(rightKey()).toUpperCase()];
        for (const key of all) assertRefused(operation, await ask({ key }), 401, refusal);
        // A signature covers the body, and a body that is too large isn't read to check it.
        const large = isSignature(operation.auth) ? 60 * 1024 : 2 * 1024 * 1024;
        const bodies = operation.body === undefined ? [] : ['{', 'x'.repeat(large)];
        for (const raw of bodies) {
          const headers = { 'content-type': 'text/plain', 'x-requested-with': undefined };
          assertRefused(operation, await ask({ key: null, raw, headers }), 401, refusal);
        }
      });
    }

    if (needsCredential) {
      it("rejects another tenant than the key's with 403", async () => {
        const headers = { 'x-tenant-id': stranger.id };
        assertRefused(operation, await ask({ headers }), 403, 'tenant_mismatch');
      });
    }

    if (operation.role !== null && operation.role !== 'viewer') {
      const minimum = operation.role;
      it('rejects a lower role with 403; X-User-Role lowers and never raises', async () => {
        for (const role of roles.slice(0, roles.indexOf(minimum))) {
          for (const claim of [undefined, 'admin', 'owner']) {
            const answer = await ask({ key: keys[role], headers: { 'x-user-role': claim } });
            assertRefused(operation, answer, 403, 'forbidden');
          }
          assertRefused(operation, await ask({ headers: { 'x-user-role': role } }), 403, 'forbidden');
        }
      });
    }

    if (needsRequestedWith(operation)) {
      it('rejects a call without X-Requested-With with 403', async () => {
        for (const value of [undefined, '', ' ']) {
          const answer = await ask({ headers: { 'x-requested-with': value } });
          assertRefused(operation, answer, 403, 'csrf_header_required');
        }
      });
    }

    if (operation.body !== undefined) {
      it('accepts only its own types in UTF-8: 415', async () => {
        const raw = JSON.stringify(call.body ?? {});
        const types = [
          undefined,
          '',
          'text/plain',
          'text/json',
          'application/json',
          'application/x-www-form-urlencoded',
        ];
        types.push('multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'application/xml');
        for (const type of types.filter((each) => !takes(operation, each))) {
          const answer = await ask({ raw, headers: { 'content-type': type } });
          assertRefused(operation, answer, 415, 'unsupported_media_type');
        }
        for (const encoding of ['gzip', 'br', 'identity, gzip']) {
          const answer = await ask({ raw, headers: { 'content-encoding': encoding } });
          assertRefused(operation, answer, 415, 'unsupported_media_type');
        }
      });

      const readsJson = ['json', 'jsonOrForm', 'scim'].includes(operation.bodyKind ?? 'json');
      it('rejects malformed bodies of every class with 400', async () => {
        if (!readsJson) {
          // Handlers judge raw bytes. Forms and parts have a syntax of their own.
          const raws = { form: ['word=%zz', 'word=a&word=b', 'wo%72=1'], multipart: ['no parts', '--x'] };
          for (const raw of Reflect.get(raws, operation.bodyKind ?? '') ?? []) {
            assertRefused(operation, await ask({ raw }), 400, 'malformed_request', 'validation_failed');
          }
          return;
        }
        const largest =
          operation.bodyLimit ?? (needsCredential ? bodyLimits.withCredential : bodyLimits.withoutCredential);
        for (const { what, raw } of shareOf(malformedBodies(call.body ?? {}), operation.id, 4)) {
          const answer = await ask({ raw });
          if (Buffer.byteLength(raw) > largest) {
            assertRefused(operation, answer, 413, 'payload_too_large');
            continue;
          }
          assert.equal(answer.status, 400, `${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
          assertRefused(operation, answer, 400, 'malformed_json', 'validation_failed');
        }
      });

      // Each operation sends megabytes twice to code that all share.
      if (isInTurn(operation.id, 4))
        it('rejects a body over the limit with 413', async () => {
          const standard = namesTenant(operation.auth) ? bodyLimits.withCredential : bodyLimits.withoutCredential;
          const limit = operation.bodyLimit ?? standard;
          const body = readsJson ? JSON.stringify(withAt(call.body, ['__unknown'], 1)).slice(0, -1) : 'word=a';
          assertRefused(
            operation,
            await ask({ raw: `${body}${' '.repeat(limit - body.length)}}` }),
            413,
            'payload_too_large',
          );
          if (!readsJson) return;
          // With one byte less it is read, and refused because of the missing brace instead of its length.
          const full = await ask({ raw: `${body}${' '.repeat(limit - body.length)}` });
          assertRefused(operation, full, 400, 'malformed_json');
        });
    }

    if (operation.query !== undefined) {
      it('rejects odd spellings and repetitions of query parameters with 400', async () => {
        for (const [name, { type = '' }] of scalarQuery(operation)) {
          for (const text of oddSpellings[type] ?? []) {
            if (name === 'offset' && text === '0') continue;
            // SCIM moves page numbers into their range (E6).
            if (operation.auth === 'scim' && /^-?[0-9]+$/.test(text) && text !== '-0') continue;
            const answer = await ask({}, withAt(call, ['query', name], text));
            assert.equal(answer.status, 400, `${name}=${text}: ${answer.text}`);
            assertRefused(operation, answer, 400, 'validation_failed');
          }
          const url = urlOf(operation, call);
          const twice = { ...operation, path: `${url}${url.includes('?') ? '&' : '?'}${name}=1&${name}=1` };
          assertRefused(operation, await send(server, twice, {}, { key: rightKey() }), 400, 'malformed_request');
        }
      });
    }

    it('responds to a malformed ID like to an unknown one', async () => {
      for (const place of places) {
        if (place[0] === 'body') continue;
        const unknown = await ask({}, withAt(call, place, randomId()));
        const odd = ['nonsense', '0', "' or 1=1 --", '%00', 'null', randomId().toUpperCase(), `${randomId()}0`];
        for (const id of shareOf([...odd, 'x'.repeat(300)], operation.id, 4)) {
          const answer = await ask({}, withAt(call, place, id));
          assert.equal(answer.status, unknown.status, `${place.join('.')} = ${id}: ${answer.text}`);
          if (answer.status < 400) continue;
          assert.equal((answer.json as Problem).code, (unknown.json as Problem).code, `${place.join('.')} = ${id}`);
          assertRefused(operation, answer, unknown.status);
        }
      }
    });

    it('has changed nothing so far', async () => {
      assert.deepEqual(await fingerprint(server, [tenant.id, stranger.id]), untouched);
    });

    if (needsCredential) {
      it('T1: responds to a foreign ID exactly like to a random one, and touches nothing of its owner', async () => {
        if (places.length === 0) return;
        const theirCall = await foreignCall();
        const before = await fingerprint(server, [stranger.id]);
        for (const place of places) {
          const theirs = String(at(theirCall, place) ?? (await foreign.make('categories')).id);
          assert.match(theirs, uuid, place.join('.'));
          const answers = [];
          for (const id of [theirs, randomId()]) {
            const answer = await ask({ headers: { 'x-request-id': 'the-same' } }, withAt(call, place, id));
            assert.ok(answer.status < 500, answer.text);
            // A successful call has used up its names.
            if (answer.status < 400 && operation.method !== 'GET') call = await example(own);
            answers.push({ status: answer.status, text: answer.text.replaceAll(id, 'ID') });
          }
          const [first, second] = answers;
          // A success returns new ids and instants, but still nothing of the stranger.
          if (first!.status >= 400) assert.deepEqual(first, second, place.join('.'));
          else assert.equal(first!.status, second!.status, place.join('.'));
          for (const secret of [foreign.marker, stranger.id]) assert.ok(!first!.text.includes(secret), place.join('.'));
        }
        const made = await fingerprint(server, [stranger.id]);
        // The stranger created the category that was needed above.
        for (const table of [
          'arbiter.categories',
          'arbiter.audit_logs',
          'arbiter.audit_heads',
          'arbiter.catalogue_versions',
          'arbiter.catalogue_log',
          'arbiter.record_versions',
          'arbiter.outbox',
        ]) {
          if (places.some((place) => at(theirCall, place) === undefined)) before[table] = made[table]!;
        }
        assert.deepEqual(made, before);
      });

      const sizes = pageSizes(operation);
      if (sizes !== null) {
        it('E15: has its documented page sizes', async () => {
          const limitOf = async (limit: Record<string, string>) => {
            const { limit: _own, ...query } = call.query ?? {};
            const { json } = await ask({}, { ...call, query: { ...query, ...limit } });
            return at(json, ['pagination', 'limit']) ?? at(json, ['limit']);
          };
          const usual = await limitOf({});
          // Responses whose form the contract fixes have no place for the limit.
          if (usual === undefined && at((await ask()).json, ['pagination']) === undefined) return;
          assert.equal(usual, sizes.usual);
          assert.equal(await limitOf({ limit: String(sizes.maximum) }), sizes.maximum);
          assert.equal(await limitOf({ limit: String(sizes.maximum + 1) }), sizes.maximum);
        });
      }

      if (scalarQuery(operation).some(([name]) => name === 'cursor')) {
        it('E15: rejects a foreign cursor exactly like an invalid one', async () => {
          // For a list below a record, the stranger uses their own record.
          const theirCall = await foreignCall();
          const { params = {} } = theirCall;
          const theirs = { ...neededQuery(operation, theirCall), limit: '1' };
          const page = await send(server, operation, { params, query: theirs }, { key: strangerKeys.admin });
          const cursor = String(at(page.json, ['pagination', 'nextCursor']) ?? '');
          assert.notEqual(cursor, '', 'the stranger has two rows');
          const headers = { 'x-request-id': 'the-same' };
          const answers = [];
          for (const each of [cursor, randomId(), 'garbage', '%', 'a'.repeat(1024)]) {
            const answer = await ask(
              { headers },
              {
                ...call,
                query: { ...neededQuery(operation, call), limit: '1', cursor: each },
              },
            );
            assertRefused(operation, answer, 400, 'invalid_cursor');
            answers.push(answer.text);
          }
          assert.equal(new Set(answers).size, 1, answers.join('\n'));
        });
      }
    }

    it('responds as declared, to the lowest role, and writes exactly the declared audit rows', async () => {
      const check = createChecks().compile;
      // SCIM requires a scope that the viewer's key doesn't have.
      const role = operation.auth === 'scim' ? 'admin' : (operation.role ?? 'viewer');
      const key = needsCredential ? keys[role] : rightKey();
      const rows = () =>
        server.testDatabase.ownerQuery<{ action: string; entityType: string }>(
          `select action, entity_type as "entityType" from arbiter.audit_logs where tenant_id = $1 order by sequence`,
          [tenant.id],
        );
      const earlier = (await rows()).length;
      const version = await versionOf(tenant);
      const answer = await ask({ key });
      const response = operation.responses[answer.status];
      assert.ok(response, `${answer.status} is not declared: ${answer.text.slice(0, 500)}`);
      assert.ok(answer.status < 400, answer.text.slice(0, 500));
      assert.match(String(answer.headers['x-request-id']), uuid);
      if (response.schema === null) assert.equal(answer.text, '');
      else if (response.kind === 'file') {
        assert.ok(response.mediaTypes?.some((type) => type === answer.headers['content-type']));
        assert.match(String(answer.headers['content-disposition']), /^attachment; filename/);
      } else if (response.kind === 'events') {
        assert.equal(answer.headers['content-type'], 'text/event-stream');
        const events = answer.text.split('\n').filter((line) => line.startsWith('data: '));
        for (const line of events) check(response.schema, 'body')(JSON.parse(line.slice('data: '.length)), 0);
      } else if (response.mediaType === undefined) {
        assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
        check(response.schema, 'body')(answer.json, 0);
      } else assert.equal(answer.headers['content-type'], response.mediaType);
      const newest = await versionOf(tenant);
      if (newest !== version) assert.equal(operation.changesCatalogue, true, 'it changes the catalogue: say so');
      const told = operation.changesCatalogue === true ? String(newest) : undefined;
      assert.equal(answer.headers['x-config-version'], told);
      const every = (await rows()).slice(earlier);
      const left = operation.auditsEachRecord === true ? every.slice(-operation.audit.length) : every;
      // A browser redirected to the error page was refused. The example can't do better.
      const isRefused = operation.failurePage !== undefined && /\/login\?error=/.test(String(answer.headers.location));
      if (isRefused) return assert.deepEqual(left, []);
      assert.deepEqual(
        left,
        operation.audit.map(({ action, entityType }, at) => ({
          action,
          entityType: entityType === '*' ? left[at]?.entityType : entityType,
        })),
      );
      if (operation.audit.length > 0) {
        const chain = await server.call('GET', '/api/v1/audit-logs/verify', { key: tenant.keys.admin });
        assert.equal(chain.body.intact, true, chain.text);
      }
      if (operation.method === 'GET' && operation.head !== false) {
        const head = await ask({ key, method: 'HEAD' });
        assert.deepEqual([head.status, head.text], [answer.status, '']);
      }
    });

    for (const limit of limitsOf(operation, { recommendRatePerMinute, rateLimitDefaultPerMinute: 0 })) {
      it(`is limited to ${limit.limit} calls in ${limit.windowSeconds} s: 429 with Retry-After`, async () => {
        const before = await fingerprint(server, [tenant.id, stranger.id]);
        const credential = await server.testDatabase.ownerQuery<{ id: string }>(
          `select id from arbiter.api_keys where tenant_id = $1 and name = 'admin key'`,
          [tenant.id],
        );
        const caller = { tenantId: tenant.id, credentialId: credential[0]!.id, ip: addressOf(operation) };
        const bucket = bucketOf(operation.id, limit, caller);
        // Fill the window as `limit` calls a second ago would have.
        await server.testDatabase.ownerQuery(
          `insert into arbiter.rate_limit_windows (tenant_id, bucket, hits, accepted, expires_at)
           select coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'), $2,
                  array(select ((extract(epoch from clock_timestamp()) - 1) * 1000000)::bigint from generate_series(1, $3)),
                  true, now() + interval '1 minute'
           on conflict (tenant_id, bucket) do update set hits = excluded.hits`,
          [bucket.tenantId, bucket.name, limit.limit],
        );
        const accept = 'application/json';
        const answer = await send(server, operation, call, { key: rightKey(), headers: { accept } });
        assertRefused(operation, answer, 429, 'rate_limited');
        const wait = Number(answer.headers['retry-after']);
        assert.ok(wait >= limit.windowSeconds - 3 && wait <= limit.windowSeconds, `Retry-After: ${wait}`);
        if (operation.errorFormat === undefined) assert.equal((answer.json as Problem).retryAfterSeconds, wait);
        assert.equal(answer.headers['ratelimit-limit'], String(limit.limit));
        assert.equal(answer.headers['ratelimit-remaining'], '0');
        assert.deepEqual(await fingerprint(server, [tenant.id, stranger.id]), before);
        if (limit.per === 'ip') {
          for (let forged = 1; forged <= (isLong() ? 100 : 10); forged += 1) {
            const headers = { accept, 'x-forwarded-for': `203.0.113.${forged}`, 'x-real-ip': `203.0.113.${forged}` };
            assertRefused(operation, await ask({ headers }), 429, 'rate_limited');
          }
          return;
        }
        const other = await send(server, operation, await foreignCall(), { key: strangerKeys.admin });
        assert.notEqual(other.status, 429, 'the limit is the tenant’s own');
      });
    }
  });
}
