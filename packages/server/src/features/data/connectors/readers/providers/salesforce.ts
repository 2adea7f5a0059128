import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../../platform/json.ts';
import { requestJson } from '../../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch, SourceRow } from '../../reader.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { authHeaders } from '../api-auth.ts';
import { rowsAt } from '../api-pages.rules.ts';
import { withParameters } from '../paged-api.ts';
import { inPieces } from '../sql-reader.ts';
import { contactsQuery, isRecordId } from './salesforce-query.store.ts';

// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_query.htm

const login = 'https://login.salesforce.com';
const defaultVersion = '62.0';

interface Session {
  /** Of the REST API, with its version. */
  readonly path: string;
  readonly origin: string;
  get(target: string, tries?: number): Promise<unknown>;
}

/** The server of the user whose access token it is: the only address that a token alone leads to. */
async function instanceOf(
  { outbound, endpoints }: SourceDeps,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const url = `${endpoints.salesforce ?? login}/services/oauth2/userinfo`;
  const { body } = await requestJson(outbound, { url, headers, signal }, { tries: 1 });
  const rest = isObject(body) && isObject(body.urls) ? body.urls.rest : null;
  if (typeof rest !== 'string' || !URL.canParse(rest)) throw new SourceError('unexpected_response');
  return rest;
}

async function openSession(deps: SourceDeps, source: Source, signal: AbortSignal): Promise<Session> {
  const version = (textOf(source, 'apiVersion') ?? defaultVersion).replace(/^v/, '');
  if (!/^\d{2,3}\.0$/.test(version)) throw new SourceError('missing_config');
  const isRefresh = source.method === 'oauth2' && textOf(source, 'clientSecret') !== undefined;
  const tokenUrl = textOf(source, 'tokenUrl') ?? `${deps.endpoints.salesforce ?? login}/services/oauth2/token`;
  const auth = isRefresh
    ? await authHeaders(deps.outbound, { ...source, config: { ...source.config, tokenUrl } }, signal)
    : { authorization: `Bearer ${textOf(source, 'accessToken') ?? requiredText(source, 'apiKey')}` };
  const headers = { ...auth, accept: 'application/json' };
  const named = textOf(source, 'instanceUrl');
  const server = named === undefined ? await instanceOf(deps, headers, signal) : (deps.endpoints.salesforce ?? named);
  const { origin } = new URL(withParameters(server, {}));
  return {
    origin,
    path: `${origin}/services/data/v${version}`,
    async get(target, tries) {
      const url = new URL(target, origin);
      // Credentials go to no other server than the one they were entered for.
      if (url.origin !== origin) throw new SourceError('unexpected_response');
      const options = tries === undefined ? {} : { tries };
      return (await requestJson(deps.outbound, { url: url.href, headers, signal }, options)).body;
    },
  };
}

const compoundTypes = new Set(['address', 'location', 'base64']);

/** Names of the fields that a query can select. */
async function fieldsOf({ get, path }: Session, resource: string): Promise<string[]> {
  const body = await get(`${path}/sobjects/${resource}/describe`);
  const fields = isObject(body) ? body.fields : null;
  if (!Array.isArray(fields)) throw new SourceError('unexpected_response');
  return fields.flatMap((field: unknown) =>
    isObject(field) && typeof field.name === 'string' && !compoundTypes.has(String(field.type)) ? [field.name] : [],
  );
}

const withoutType = ({ attributes_type: _type, attributes_url: _url, ...row }: SourceRow): SourceRow => row;

function lastId(cursor: Json | null): string | null {
  const id = isObject(cursor) ? cursor.after : null;
  return typeof id === 'string' && isRecordId(id) ? id : null;
}

/** Pages follow the server's links. A resumed read starts after the last ID, because links expire after two days. */
async function* queryPages(
  session: Session,
  source: Source,
  { cursor, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const resource = textOf(source, 'resource') ?? 'Contact';
  if (resource !== 'Contact') throw new SourceError('missing_config');
  const fields = await fieldsOf(session, resource);
  const query = contactsQuery({ fields, after: lastId(cursor), since: textOf(source, 'since') });
  let left = rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY;
  const seen = new Set<string>();
  for (let target = withParameters(`${session.path}/query`, { q: query }); ; ) {
    if (seen.has(target)) throw new SourceError('unexpected_response');
    seen.add(target);
    const body = await session.get(target);
    const rows = rowsAt(body, 'records').slice(0, left).map(withoutType);
    yield* inPieces(rows, (count) => ({ after: String(rows[count - 1]?.Id) }));
    left -= rows.length;
    const next = isObject(body) ? body.nextRecordsUrl : null;
    if (left <= 0 || typeof next !== 'string') return;
    target = next;
  }
}

/** Contacts of Salesforce. */
export const salesforceSource: SourceKind = {
  async probe(deps, source, signal) {
    const session = await openSession(deps, source, signal);
    const query = contactsQuery({ fields: ['Id'], after: null, since: undefined, limit: 1 });
    rowsAt(await session.get(withParameters(`${session.path}/query`, { q: query }), 1), 'records');
    return { details: {} };
  },
  open: (deps, source) => ({
    isResumable: true,
    async *read(options) {
      yield* queryPages(await openSession(deps, source, options.signal), source, options);
    },
    committed: async () => undefined,
    close: async () => undefined,
  }),
};
