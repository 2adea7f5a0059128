import { isObject } from '../../../../../platform/json.ts';
import { requestJson, requestText } from '../../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { flatRow } from '../api-pages.rules.ts';
import { withParameters } from '../paged-api.ts';
import { type Lookup, pagedKeys, readLookups } from './lookups.ts';

// https://api.iterable.com/api/docs: a list is its users' emails or IDs, one a line; each user is another call.

const hosts: Readonly<Record<string, string>> = {
  us: 'https://api.iterable.com',
  eu: 'https://api.eu.iterable.com',
};

interface Iterable {
  /** Requests a list that any key of the account may read. */
  check(): Promise<void>;
  keys(): Promise<string[]>;
  readonly lookup: Lookup;
}

function apiOf({ outbound, endpoints }: SourceDeps, source: Source, signal: AbortSignal): Iterable {
  const base = endpoints.iterable ?? hosts[textOf(source, 'region') ?? 'us'];
  const listId = requiredText(source, 'listId');
  const resource = textOf(source, 'resource') ?? 'users';
  if (base === undefined || !/^\d{1,15}$/.test(listId) || resource !== 'users') throw new SourceError('missing_config');
  const headers = { 'api-key': requiredText(source, 'apiKey') };
  return {
    async check() {
      await requestJson(outbound, { url: `${base}/api/lists`, headers, signal }, { tries: 1 });
    },
    async keys() {
      const url = withParameters(`${base}/api/lists/getUsers`, { listId });
      const text = await requestText(outbound, { url, headers, signal });
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    },
    async lookup(key) {
      const path = key.includes('@') ? '/api/users' : '/api/users/byUserId';
      const url = `${base}${path}/${encodeURIComponent(key)}`;
      const { body } = await requestJson(outbound, { url, headers, signal }).catch((error: unknown) => {
        // The user left after the list was read.
        if (error instanceof SourceError && error.reason === 'not_found') return { body: {} };
        throw error;
      });
      if (!isObject(body)) throw new SourceError('unexpected_response');
      return isObject(body.user) ? flatRow(body.user) : null;
    },
  };
}

/** The users of a list of Iterable. */
export const iterableSource: SourceKind = {
  async probe(deps, source, signal) {
    await apiOf(deps, source, signal).check();
    return { details: {} };
  },
  open: (deps, source) => ({
    isResumable: true,
    async *read(options) {
      const { keys, lookup } = apiOf(deps, source, options.signal);
      yield* readLookups(pagedKeys(await keys()), lookup, options);
    },
    committed: async () => undefined,
    close: async () => undefined,
  }),
};
