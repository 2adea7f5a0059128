import { isObject } from '../../../../../platform/json.ts';
import { requestJson } from '../../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { RowKeys, SourceRow } from '../../reader.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { flatRow } from '../api-pages.rules.ts';
import { withParameters } from '../paged-api.ts';
import { pagedKeys, readLookups } from './lookups.ts';

// https://www.twilio.com/docs/segment/unify/profile-api

const host = 'https://profiles.segment.com';
/** Traits of an answer at most. */
const maxTraits = 200;
const maxKeys = 100;

/** Returns the profile keys: those of the source, or else of the target's rows. Throws SourceError `missing_config`. */
function keysOf({ config }: Source, rowKeys: RowKeys | undefined): RowKeys {
  const { keys } = config;
  if (keys === undefined && rowKeys !== undefined) return rowKeys;
  const isList = Array.isArray(keys) && keys.length >= 1 && keys.length <= maxKeys;
  if (!isList || !keys.every((key) => typeof key === 'string' && key !== '')) throw new SourceError('missing_config');
  return pagedKeys(keys);
}

function lookupOf({ outbound, endpoints }: SourceDeps, source: Source, signal: AbortSignal) {
  const idType = textOf(source, 'idType') ?? 'user_id';
  const base = `${endpoints.segment ?? host}/v1/spaces/${encodeURIComponent(requiredText(source, 'spaceId'))}`;
  const headers = {
    authorization: `Basic ${Buffer.from(`${requiredText(source, 'accessToken')}:`).toString('base64')}`,
  };
  return async (key: string, options: { readonly tries?: number } = {}): Promise<SourceRow | null> => {
    const path = `${base}/collections/users/profiles/${encodeURIComponent(idType)}:${encodeURIComponent(key)}/traits`;
    const url = withParameters(path, { limit: maxTraits });
    const answer = await requestJson(outbound, { url, headers, signal }, options).catch((error: unknown) => {
      if (error instanceof SourceError && error.reason === 'not_found') return null;
      throw error;
    });
    if (answer === null) return null;
    if (!isObject(answer.body) || !isObject(answer.body.traits)) throw new SourceError('unexpected_response');
    return { ...flatRow(answer.body.traits), [idType]: key };
  };
}

/** Traits of profiles, one lookup each. */
export const segmentSource: SourceKind = {
  async probe(deps, source, signal) {
    // A profile that isn't there proves the space and the token as well.
    await lookupOf(deps, source, signal)('arbiter-connection-test', { tries: 1 });
    return { details: {} };
  },
  open: (deps, source, rowKeys) => ({
    isResumable: true,
    async *read(options) {
      const lookup = lookupOf(deps, source, options.signal);
      yield* readLookups(keysOf(source, rowKeys), (key) => lookup(key), options);
    },
    committed: async () => undefined,
    close: async () => undefined,
  }),
};
