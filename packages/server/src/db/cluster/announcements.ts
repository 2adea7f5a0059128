/**
 * Returns the channels on which a tenant's statement has to be announced at the commit. On a cluster, triggers run on the
 * workers, and nobody listens there: a lost worker would then keep all others from hearing anything.
 */
export function channelsOf(text: string): readonly string[] {
  const known = found.get(text);
  if (known !== undefined) return known;
  const channels = announced.filter(({ writes }) => writes.test(text)).map(({ channel }) => channel);
  // Statements with values in their text would fill the cache.
  if (found.size < maxTexts) found.set(text, channels);
  return channels;
}

const found = new Map<string, readonly string[]>();
const maxTexts = 2_000;

const writesTo = (tables: string): RegExp =>
  new RegExp(`\\b(?:update|insert\\s+into|delete\\s+from)\\s+(?:"?arbiter"?\\.)?"?(?:${tables})\\b`, 'i');

/** The tables whose triggers notify in a single database (migrations/0001_baseline.sql). */
const announced = [
  { channel: 'arbiter_credentials', writes: writesTo('tenants|users|user_sessions|api_keys|oauth_clients') },
  { channel: 'arbiter_stream', writes: writesTo('stream_heads') },
];
