import { createHmac } from 'node:crypto';
import type { Outbound } from '../outbound/outbound.ts';
import { answeredCall } from './answered-call.ts';
import { type Bucket, type BucketPage, objectFiles } from './object-files.ts';
import { textOf } from './s3-calls.ts';
import { SourceError } from './source-error.ts';
import { xmlRoot, xmlText } from './xml.ts';

// https://learn.microsoft.com/rest/api/storageservices/list-blobs

const version = '2021-08-06';
const maxPerList = 16 * 1024 * 1024;

/** Where a container is, and who reads it. */
export interface AzureTarget {
  readonly account: string;
  readonly container: string;
  /** Blobs with this name, or below it. Empty: all. */
  readonly path: string;
  /** Base64, or null with a SAS token. */
  readonly accountKey: string | null;
  /** Query of a shared access signature, or null. */
  readonly sasToken: string | null;
  /** Base URL instead of Azure's. */
  readonly endpoint: string | undefined;
}

/** Opens a container of Azure Blob Storage. */
export function openAzureContainer(outbound: Outbound, target: AzureTarget, signal: AbortSignal): Bucket {
  const { account, container, path, sasToken, endpoint } = target;
  const base = endpoint ?? `https://${account}.blob.core.windows.net`;
  const get = (key: string, query: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) => {
    const path = `/${[container, ...(key === '' ? [] : key.split('/'))].map(encodeURIComponent).join('/')}`;
    const search = new URLSearchParams({ ...query, ...parametersOf(sasToken) }).toString();
    const url = `${base}${path}${search === '' ? '' : `?${search}`}`;
    const all = () => {
      const own = { ...headers, 'x-ms-date': new Date().toUTCString(), 'x-ms-version': version };
      const authorization = authorizationOf(target, path, query, own);
      return authorization === null ? own : { ...own, authorization };
    };
    return answeredCall(outbound, url, all, signal);
  };
  return objectFiles(
    {
      async page(marker, size) {
        const query = {
          ...{ restype: 'container', comp: 'list', maxresults: String(size) },
          ...(path === '' ? {} : { prefix: path }),
          ...(marker === null ? {} : { marker }),
        };
        return pageOf(await textOf(await get('', query, {}), maxPerList));
      },
      read: (key, offset, etag) =>
        get(key, {}, etag === undefined ? {} : { 'x-ms-range': `bytes=${offset}-`, 'if-match': etag }),
    },
    path,
    signal,
  );
}

/** The parameters of a SAS token, which may begin with a question mark. */
const parametersOf = (sasToken: string | null): Record<string, string> =>
  sasToken === null ? {} : Object.fromEntries(new URLSearchParams(sasToken));

/** Shared Key (https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key); null without a key. */
function authorizationOf(
  { account, accountKey }: AzureTarget,
  path: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (accountKey === null) return null;
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`);
  const parameters = Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `\n${name}:${value}`);
  // Verb, then eleven standard headers, of which these requests send If-Match alone.
  const standard = ['GET', '', '', '', '', '', '', '', headers['if-match'] ?? '', '', '', ''];
  const text = `${standard.join('\n')}\n${own.join('')}/${account}${path}${parameters.join('')}`;
  const signature = createHmac('sha256', Buffer.from(accountKey, 'base64')).update(text).digest('base64');
  return `SharedKey ${account}:${signature}`;
}

function pageOf(xml: string): BucketPage {
  const root = xmlRoot(xml, 'EnumerationResults');
  const objects = [...root.getElementsByTagName('Blob')].map((blob) => {
    const key = xmlText(blob, 'Name');
    const mtime = Date.parse(xmlText(blob, 'Last-Modified') ?? '');
    if (key === null || Number.isNaN(mtime)) throw new SourceError('unexpected_response');
    return { key, mtime, version: xmlText(blob, 'Etag') ?? String(mtime) };
  });
  return { objects, next: xmlText(root, 'NextMarker') || null };
}
