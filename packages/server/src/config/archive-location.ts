import { fileURLToPath } from 'node:url';
import { type BucketSettings, readBucketUrl } from './bucket-settings.ts';

/** Where archived months are: a folder or a bucket. */
export type ArchiveLocation = { readonly folder: string } | { readonly bucket: BucketSettings };

/**
 * Parses ARCHIVE_URL: `file:///var/lib/arbiter/archive`, or a bucket as in EXPORT_S3_URL. Throws an error that says what's wrong.
 */
export function readArchiveUrl(value: string): ArchiveLocation {
  if (value.startsWith('s3://')) return { bucket: readBucketUrl(value) };
  if (!value.startsWith('file:///') || !URL.canParse(value)) {
    throw new Error('must look like file:///var/lib/arbiter/archive or s3://key:secret@host/bucket');
  }
  const { search, hash, pathname } = new URL(value);
  if (search !== '' || hash !== '') throw new Error('must not have parameters if it names a folder');
  if (pathname === '/') throw new Error('must name a folder below the root');
  return { folder: fileURLToPath(value) };
}
