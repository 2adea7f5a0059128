import type { BucketPage } from './object-files.ts';
import { SourceError } from './source-error.ts';
import { xmlRoot, xmlText } from './xml.ts';

/** Reads S3's ListObjectsV2 answer. Throws SourceError `unexpected_response`. */
export function readList(xml: string): BucketPage {
  const root = xmlRoot(xml, 'ListBucketResult');
  const isEncoded = xmlText(root, 'EncodingType') === 'url';
  const objects = [...root.getElementsByTagName('Contents')].map((each) => {
    const key = xmlText(each, 'Key') ?? '';
    const mtime = Date.parse(xmlText(each, 'LastModified') ?? '');
    if (Number.isNaN(mtime)) throw new SourceError('unexpected_response');
    return {
      key: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
      ...{ mtime, version: xmlText(each, 'ETag') ?? String(mtime) },
    };
  });
  const next = xmlText(root, 'IsTruncated') === 'true' ? xmlText(root, 'NextContinuationToken') : null;
  return { objects, next };
}
