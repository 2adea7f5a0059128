/** A bucket of an S3-compatible object store. */
export interface BucketSettings {
  /** Where the store answers, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly origin: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Parses EXPORT_S3_URL: `s3://key:secret@host[:port]/bucket[?region=][&tls=off]`. Throws what is wrong with it. */
export function readBucketUrl(value: string): BucketSettings {
  if (!value.startsWith('s3://') || !URL.canParse(value)) {
    throw new Error('must look like s3://key:secret@host/bucket?region=eu-central-1');
  }
  const { host, username, password, pathname, searchParams } = new URL(value);
  const unknown = [...searchParams.keys()].find((name) => name !== 'region' && name !== 'tls');
  if (unknown !== undefined) throw new Error('has an unknown parameter: only region and tls are allowed');
  if (host === '') throw new Error('needs the host of the object store');
  if (username === '' || password === '') throw new Error('needs a key and a secret, percent-encoded');
  const [, bucket = ''] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(pathname) ?? [];
  if (bucket === '') throw new Error('needs the name of one bucket behind the host');
  const tls = searchParams.get('tls') ?? 'on';
  if (tls !== 'on' && tls !== 'off') throw new Error('has a tls that is neither on nor off');
  return {
    origin: `${tls === 'on' ? 'https' : 'http'}://${host}`,
    bucket,
    region: searchParams.get('region') || 'us-east-1',
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
  };
}
