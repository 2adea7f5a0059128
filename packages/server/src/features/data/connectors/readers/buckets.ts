import { openAzureContainer } from '../../../../platform/sources/azure-store.ts';
import { openGoogleBucket } from '../../../../platform/sources/google-store.ts';
import type { Bucket } from '../../../../platform/sources/object-files.ts';
import type { BucketTarget } from '../../../../platform/sources/s3-calls.ts';
import { openBucket } from '../../../../platform/sources/s3-store.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../source.ts';
import { filesReader } from './files.ts';

/** A setting that becomes part of a host or a path. */
function safeText(source: Source, key: string, pattern: RegExp, byDefault?: string): string {
  const value = textOf(source, key) ?? byDefault ?? requiredText(source, key);
  if (!pattern.test(value)) throw new SourceError('missing_config');
  return value;
}

/** Origin of a service of the tenant's. Without a scheme, it's https. */
function originOf(endpoint: string): string {
  const url = endpoint.includes('://') ? endpoint : `https://${endpoint}`;
  if (!URL.canParse(url)) throw new SourceError('missing_config');
  return new URL(url).origin;
}

const rolePattern = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;

/** Regions only: `sts.s3-us-west-2.amazonaws.com` is a bucket, and the server signs what it sends there. */
const regionPattern = /^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/;

/** Returns the connector's access keys, or those of its role. */
function keysOf({ awsRoles }: SourceDeps, source: Source, region: string, signal: AbortSignal): BucketTarget['keys'] {
  if (source.method === 'iam_role') {
    if (!regionPattern.test(region)) throw new SourceError('missing_config');
    const role = {
      roleArn: safeText(source, 'roleArn', rolePattern),
      externalId: textOf(source, 'externalId'),
      region,
    };
    return () => awsRoles.take(source.tenantId, role, signal);
  }
  const keys = {
    accessKeyId: requiredText(source, 'accessKeyId'),
    secretAccessKey: requiredText(source, 'secretAccessKey'),
    sessionToken: textOf(source, 'sessionToken'),
  };
  return async () => keys;
}

function targetOf(deps: SourceDeps, source: Source, signal: AbortSignal): BucketTarget {
  const { endpoints } = deps;
  const isAmazon = source.type === 'aws_s3';
  const region = safeText(
    source,
    'region',
    /^[a-z0-9-]{1,40}$/,
    source.type === 'cloudflare_r2' ? 'auto' : 'us-east-1',
  );
  const fixed = endpoints[source.type] ?? (isAmazon ? undefined : requiredText(source, 'endpoint'));
  const origin = fixed === undefined ? null : originOf(fixed);
  return {
    ...{ region, bucket: safeText(source, 'bucket', /^[a-z0-9][a-z0-9._-]{1,254}$/i) },
    originOf: (place) => origin ?? `https://s3.${place}.amazonaws.com${place.startsWith('cn-') ? '.cn' : ''}`,
    keys: keysOf(deps, source, region, signal),
    path: pathOf(source),
  };
}

const pathOf = (source: Source): string => (textOf(source, 'path') ?? '').replace(/^\/+/, '');

type Open = (deps: SourceDeps, source: Source, signal: AbortSignal) => Bucket;

const bucketOf = (open: Open): SourceKind => ({
  async probe(deps, source, signal) {
    await open(deps, source, signal).check();
    return { details: {} };
  },
  open: (deps, source) => filesReader(source, async (signal) => open(deps, source, signal)),
});

/** Buckets of S3 and the services that speak its protocol. */
export const bucketSource = bucketOf((deps, source, signal) =>
  openBucket(deps.outbound, targetOf(deps, source, signal), signal),
);

/** Buckets of Google Cloud Storage. Their names are unique, so the project isn't part of a request. */
export const googleBucketSource = bucketOf(({ outbound, endpoints }, source, signal) => {
  const target = {
    bucket: safeText(source, 'bucket', /^[a-z0-9][a-z0-9._-]{1,254}$/),
    path: pathOf(source),
    serviceAccount: source.config.serviceAccountJson,
    endpoint: endpoints.gcs,
  };
  return openGoogleBucket(outbound, target, signal);
});

/** Containers of Azure Blob Storage. */
export const azureBlobSource = bucketOf(({ outbound, endpoints }, source, signal) => {
  const isKey = source.method !== 'sas_token';
  const target = {
    account: safeText(source, 'storageAccount', /^[a-z0-9]{3,24}$/),
    container: safeText(source, 'container', /^(\$root|[a-z0-9][a-z0-9-]{2,62})$/),
    path: pathOf(source),
    accountKey: isKey ? safeText(source, 'accountKey', /^[A-Za-z0-9+/]+={0,2}$/) : null,
    sasToken: isKey ? null : requiredText(source, 'sasToken'),
    endpoint: endpoints.azure_blob,
  };
  return openAzureContainer(outbound, target, signal);
});
