import { DOMParser, type Element } from '@xmldom/xmldom';
import { SourceError } from './source-error.ts';

/** A page of a bucket's list. */
export interface BucketPage {
  readonly objects: readonly { readonly key: string; readonly mtime: number; readonly version: string }[];
  /** Where the list goes on; null: nowhere. */
  readonly next: string | null;
}

/** Reads S3's ListObjectsV2 answer. Throws SourceError `unexpected_response`. */
export function readList(xml: string): BucketPage {
  const root = rootOf(xml);
  const text = (element: Element, name: string) => element.getElementsByTagName(name)[0]?.textContent ?? null;
  const isEncoded = text(root, 'EncodingType') === 'url';
  const objects = [...root.getElementsByTagName('Contents')].map((each) => {
    const key = text(each, 'Key') ?? '';
    const mtime = Date.parse(text(each, 'LastModified') ?? '');
    if (Number.isNaN(mtime)) throw new SourceError('unexpected_response');
    return {
      key: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
      ...{ mtime, version: text(each, 'ETag') ?? String(mtime) },
    };
  });
  const next = text(root, 'IsTruncated') === 'true' ? text(root, 'NextContinuationToken') : null;
  return { objects, next };
}

function rootOf(xml: string): Element {
  try {
    const onError = (_level: string, message: string): never => {
      throw new Error(message);
    };
    const root = new DOMParser({ onError }).parseFromString(xml, 'text/xml').documentElement;
    if (root?.localName === 'ListBucketResult') return root;
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
  throw new SourceError('unexpected_response');
}
