/** Stands in for a secret in the log: eight bullets, as in every response. */
export const secretMask = '••••••••';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A leaf of `changes`. Null: it didn't exist. */
export interface Change {
  readonly before: unknown;
  readonly after: unknown;
}

// Judged by the end of the property name, so that a new secret is hidden before anyone thinks of this list.
const secretName =
  /(password|secret|token|credentials?|privateKey|apiKey|authConfig|samlCertificate|webhookUrl|passwordHash|secretHash|keyHash)$/i;

const isContainer = (value: Json): value is readonly Json[] | { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null;

/** The value as JSON keeps it: instants become ISO strings, undefined properties go away. */
function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}

/** A record with its secrets as bullets, as the log shows it. */
export function withoutSecrets(record: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(masked(toJson(record)) ?? {}));
}

function masked(value: Json): Json {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(masked);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      entry !== null && secretName.test(key) ? secretMask : masked(entry),
    ]),
  );
}

interface Leaf {
  /** Canonical enough to compare two leaves. */
  readonly text: string;
  readonly shown: Json;
}

function collectLeaves(value: Json, path: string, into: Map<string, Leaf>): void {
  const entries = isContainer(value) ? Object.entries(value) : [];
  if (entries.length === 0) {
    // The empty record itself is not a leaf; an empty list or object inside it is.
    if (path !== '') into.set(path, { text: JSON.stringify(value), shown: value });
    return;
  }
  for (const [key, entry] of entries) {
    const inner = path === '' ? key : `${path}.${key}`;
    if (entry !== null && secretName.test(key)) {
      into.set(inner, { text: JSON.stringify(entry), shown: secretMask });
    } else {
      collectLeaves(entry, inner, into);
    }
  }
}

function changedLeaves(before: Json, after: Json): Record<string, Change> {
  const old = new Map<string, Leaf>();
  const now = new Map<string, Leaf>();
  collectLeaves(before, '', old);
  collectLeaves(after, '', now);
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return Object.fromEntries(
    paths
      .filter((path) => old.get(path)?.text !== now.get(path)?.text)
      .map((path) => [path, { before: old.get(path)?.shown ?? null, after: now.get(path)?.shown ?? null }]),
  );
}

/**
 * Before, after and the changed leaves by dotted path, all as JSON and with secrets as bullets (docs/design/api-access.md 7).
 * `secretsGiven`: paths of secrets that the record does not hold itself.
 */
export function describeChange(
  before: object | null,
  after: object | null,
  secretsGiven: readonly string[] = [],
): { before: unknown; after: unknown; changes: Record<string, Change> } {
  const old = before === null ? null : toJson(before);
  const now = after === null ? null : toJson(after);
  return {
    before: old === null ? null : masked(old),
    after: now === null ? null : masked(now),
    changes: {
      ...Object.fromEntries(secretsGiven.map((path) => [path, { before: secretMask, after: secretMask }])),
      ...changedLeaves(old ?? {}, now ?? {}),
    },
  };
}
