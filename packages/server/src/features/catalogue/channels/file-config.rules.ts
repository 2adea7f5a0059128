import type { FileConfig } from '@arbiter/contract';
import { AppError, invalid } from '../../../platform/app-error.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';

/** What settings of files depend on. */
export interface FileConfigPorts {
  /** The bucket of EXPORT_S3_URL; null: it isn't set. */
  readonly exportBucket: ObjectStore | null;
}

/**
 * Returns the settings in their stored form. Throws 503 `not_configured` for a destination that this server doesn't have,
 * and 400 for a path that leads out of the tenant's part of the bucket.
 */
export function readFileConfig(config: FileConfig, { exportBucket }: FileConfigPorts): FileConfig {
  if (config.destination === 's3' && exportBucket === null) {
    throw new AppError('not_configured', {
      detail: "Files can't be written to s3: EXPORT_S3_URL is not set.",
      errors: [{ path: '/fileConfig/destination', message: 's3 is not configured' }],
    });
  }
  const parts = config.s3Path?.split('/') ?? [];
  if (parts.some((part) => part === '.' || part === '..')) {
    throw invalid('/fileConfig/s3Path', "can't contain . or .. between slashes");
  }
  if (/\p{Cc}/u.test(config.s3Path ?? '')) throw invalid('/fileConfig/s3Path', "can't contain control characters");
  return config.format === 'jsonl' ? { ...config, format: 'ndjson' } : config;
}
