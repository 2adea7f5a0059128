import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { TableQuery } from '../../../../../db/index.ts';
import { requestJson } from '../../../../../platform/sources/http-source.ts';
import { signedToken } from '../../../../../platform/sources/signed-token.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import { pauseForStatement } from '../../../../../platform/sources/statement-pause.ts';
import type { SourceRow } from '../../reader.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { valueAt } from '../api-pages.rules.ts';
import { sqlReader } from '../sql-reader.ts';
import { exactNumber, type ResultColumn, rowsOfValues, timeOfSeconds } from './statement-rows.rules.ts';
import { tableStatement, trivialStatement } from './table-query.store.ts';

// https://docs.snowflake.com/en/developer-guide/sql-api/reference

const cancelMs = 2_000;
const secondsOfDay = 86_400;

/** Values as the API writes them: times are seconds, dates are days. */
function readValue(text: string, { type }: ResultColumn): unknown {
  switch (type.toLowerCase()) {
    case 'fixed':
    case 'real':
      return exactNumber(text);
    case 'boolean':
      return text === 'true' || text === '1';
    case 'date':
      return timeOfSeconds(String(Number(text) * secondsOfDay), '').slice(0, 10);
    case 'time':
      return timeOfSeconds(text, '').slice(11);
    case 'timestamp_ntz':
      return timeOfSeconds(text, '');
    case 'timestamp_ltz':
    case 'timestamp_tz':
      // The offset behind the time of a `timestamp_tz` doesn't change the instant.
      return timeOfSeconds(text.split(' ')[0] ?? '', 'Z');
    default:
      return text;
  }
}

const accountName = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,3}$/i;

function accountOf(source: Source): string {
  const account = requiredText(source, 'account').replace(/\.snowflakecomputing\.com$/i, '');
  if (!accountName.test(account)) throw new SourceError('missing_config');
  return account;
}

function privateKeyOf(source: Source): KeyObject {
  try {
    const passphrase = textOf(source, 'passphrase');
    const key = requiredText(source, 'privateKey');
    return createPrivateKey(passphrase === undefined ? key : { key, passphrase });
  } catch (cause) {
    throw new SourceError('auth_failed', { cause });
  }
}

async function authOf(source: Source): Promise<Readonly<Record<string, string>>> {
  if (source.method !== 'key_pair') {
    // The API takes no passwords; a programmatic access token replaces it.
    const token = textOf(source, 'accessToken') ?? requiredText(source, 'password');
    return { authorization: `Bearer ${token}` };
  }
  const key = privateKeyOf(source);
  const account = (accountOf(source).split('.')[0] ?? '').toUpperCase();
  const subject = `${account}.${requiredText(source, 'username').toUpperCase()}`;
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const fingerprint = createHash('sha256').update(publicKey).digest('base64');
  const token = await signedToken(key, { iss: `${subject}.SHA256:${fingerprint}`, sub: subject });
  return { authorization: `Bearer ${token}`, 'x-snowflake-authorization-token-type': 'KEYPAIR_JWT' };
}

type Request = (method: 'GET' | 'POST', path: string, body?: object, tries?: number) => Promise<StatementResponse>;
interface StatementResponse {
  readonly status: number;
  readonly body: unknown;
}

function requester({ outbound, endpoints }: SourceDeps, source: Source, signal: AbortSignal): Request {
  const host = `${accountOf(source).replaceAll('_', '-').toLowerCase()}.snowflakecomputing.com`;
  const base = `${endpoints.snowflake ?? `https://${host}`}/api/v2/statements`;
  return async (method, path, body, tries) => {
    // A key's token lives for an hour, a read may take longer.
    const headers = { ...(await authOf(source)), accept: 'application/json', 'content-type': 'application/json' };
    const call = { url: `${base}${path}`, method, headers, signal };
    const options = tries === undefined ? {} : { tries };
    return requestJson(outbound, body === undefined ? call : { ...call, body: JSON.stringify(body) }, options);
  };
}

const handleOf = ({ body }: StatementResponse): string => {
  const handle = valueAt(body, 'statementHandle');
  if (typeof handle !== 'string' || handle === '') throw new SourceError('unexpected_response');
  return encodeURIComponent(handle);
};

/** A statement that can't be compiled is 422: it names what isn't there, or what the role doesn't see. */
const asMissing = (error: unknown): never => {
  const cause: unknown = error instanceof SourceError ? error.cause : undefined;
  throw cause === 422 ? new SourceError('not_found') : error;
};

async function* tablePages(
  deps: SourceDeps,
  source: Source,
  query: TableQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceRow[]> {
  const request = requester(deps, source, signal);
  let answer = await request('POST', '', {
    statement: tableStatement(query, '?'),
    ...{ warehouse: requiredText(source, 'warehouse'), database: requiredText(source, 'database') },
    ...{ schema: textOf(source, 'schema'), role: textOf(source, 'role') },
    ...(query.after === null ? {} : { bindings: { 1: { type: 'TEXT', value: query.after } } }),
    parameters: { timezone: 'UTC' },
  }).catch(asMissing);
  const handle = handleOf(answer);
  let isDone = false;
  try {
    for (let times = 0; answer.status === 202; times++) {
      await pauseForStatement(times, signal);
      answer = await request('GET', `/${handle}`).catch(asMissing);
    }
    const types = valueAt(answer.body, 'resultSetMetaData.rowType');
    const partitions = valueAt(answer.body, 'resultSetMetaData.partitionInfo');
    if (!Array.isArray(types) || !Array.isArray(partitions)) throw new SourceError('unexpected_response');
    const columns = types.map((each: unknown) => ({
      name: String(valueAt(each, 'name')),
      type: String(valueAt(each, 'type')),
    }));
    for (let at = 0; at < partitions.length; at++) {
      const { body } = at === 0 ? answer : await request('GET', `/${handle}?partition=${at}`);
      yield rowsOfValues(valueAt(body, 'data'), columns, readValue);
    }
    isDone = true;
  } finally {
    if (!isDone) {
      const late = requester(deps, source, AbortSignal.timeout(cancelMs));
      void late('POST', `/${handle}/cancel`, {}, 1).catch(() => undefined);
    }
  }
}

/** Snowflake through its SQL API. */
export const snowflakeSource: SourceKind = {
  async probe(deps, source, signal) {
    const request = requester(deps, source, signal);
    await request('POST', '', { statement: trivialStatement, timeout: 5 }, 1).catch(asMissing);
    return { details: {} };
  },
  open: (deps, source) =>
    sqlReader(source, {
      quote: '"',
      pages: (query, signal) => tablePages(deps, source, query, signal),
      close: async () => undefined,
    }),
};
