import { isObject } from '../../../platform/json.ts';
import { secretMask } from '../../identity/audit/index.ts';

/** Settings of a connector, or its credentials. */
export type ConnectorValues = Readonly<Record<string, unknown>>;

// docs/design/api-catalogue.md 20, Connectors.
const secretKey =
  /secret|passw|passphrase|token$|api_?key|private_?key|account_?key|write_?key|sas|credential|serviceaccount|connectionstring|authorization|cookie/i;
const openKeys = new Set(['tokenUrl', 'accessKeyId']);

export const isSecretKey = (name: string): boolean => secretKey.test(name) && !openKeys.has(name);

/** Settings without secrets, and what was taken from them, in places like theirs. */
export interface SplitConfig {
  readonly config: ConnectorValues;
  readonly secrets: ConnectorValues;
}

type Members = Record<string, unknown>;

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** Takes secrets out of a value. Puts the user of URLs into `users`. Undefined: nothing is left, or nothing was taken. */
function take(value: unknown, users: Members): { readonly rest: unknown; readonly taken: unknown } {
  if (typeof value === 'string') return { rest: withoutUser(value, users), taken: undefined };
  if (Array.isArray(value)) {
    const parts: { readonly rest: unknown; readonly taken: unknown }[] = value.map((each) => take(each, users));
    const taken = Object.fromEntries(
      parts.flatMap((part, at) => (part.taken === undefined ? [] : [[String(at), part.taken]])),
    );
    return { rest: parts.map(({ rest }) => rest ?? {}), taken: isEmpty(taken) ? undefined : taken };
  }
  if (!isObject(value)) return { rest: value, taken: undefined };
  const rest: Members = {};
  const taken: Members = {};
  for (const [key, each] of Object.entries(value)) {
    if (isSecretKey(key) || key === 'headers') {
      if (!isEmpty(each)) taken[key] = each;
      continue;
    }
    const part = take(each, users);
    if (part.taken !== undefined) taken[key] = part.taken;
    if (part.rest !== undefined) rest[key] = part.rest;
  }
  return {
    rest: isEmpty(rest) && !isEmpty(value) ? undefined : rest,
    taken: isEmpty(taken) ? undefined : taken,
  };
}

const urlUser = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i;

function withoutUser(text: string, users: Members): string {
  const found = urlUser.exec(text);
  if (found === null) return text;
  const [whole, scheme = '', user = ''] = found;
  const colon = user.indexOf(':');
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  users.username ??= decode(colon < 0 ? user : user.slice(0, colon));
  if (colon >= 0) users.password ??= decode(user.slice(colon + 1));
  return scheme + text.slice(whole.length);
}

/** Takes the secrets out of settings: they belong to the credentials. */
export function splitSecrets(config: ConnectorValues): SplitConfig {
  const users: Members = {};
  const { rest, taken } = take(config, users);
  return { config: isObject(rest) ? rest : {}, secrets: { ...users, ...(isObject(taken) ? taken : {}) } };
}

/** Merges two values; the second wins. Keys of objects may be places in a list. */
function mergeValues(base: unknown, over: unknown): unknown {
  if (!isObject(over)) return over;
  if (Array.isArray(base)) {
    return base.map((each: unknown, at) => (String(at) in over ? mergeValues(each, over[String(at)]) : each));
  }
  const merged = new Map<string, unknown>(isObject(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(over)) merged.set(key, mergeValues(merged.get(key), value));
  return Object.fromEntries(merged);
}

/** Like `mergeValues`, for whole settings. */
export function mergeConfig(base: ConnectorValues, over: ConnectorValues): ConnectorValues {
  const merged = mergeValues(base, over);
  return isObject(merged) ? merged : over;
}

const shortest = 12;

/** Returns credentials as answers show them (docs/design/quality.md T18). */
function maskValue(value: unknown): unknown {
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, maskValue(each)]));
  if (typeof value !== 'string') return secretMask;
  const letters = [...value];
  return letters.length < shortest ? secretMask : `${letters.slice(0, 2).join('')}••••${letters.slice(-2).join('')}`;
}

export const maskAll = (auth: ConnectorValues): Record<string, unknown> =>
  Object.fromEntries(Object.entries(auth).map(([key, value]) => [key, maskValue(value)]));

/**
 * Replaces masks by the stored values, and lists the places with a mask of nothing.
 * @param path JSON Pointer of `auth`
 */
export function unmask(
  auth: ConnectorValues,
  stored: ConnectorValues,
  path: string,
): { readonly auth: ConnectorValues; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const entries = Object.entries(auth).map(([key, value]): [string, unknown] => {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const before = stored[key];
    if (isObject(value)) {
      const inner = unmask(value, isObject(before) ? before : {}, at);
      unknown.push(...inner.unknown);
      return [key, inner.auth];
    }
    if (before !== undefined && (value === secretMask || value === maskValue(before))) return [key, before];
    if (value === secretMask) unknown.push(at);
    return [key, value];
  });
  return { auth: Object.fromEntries(entries), unknown };
}

const addressKeys = [
  'host',
  'port',
  'hosts',
  'url',
  'endpoint',
  'bootstrapServers',
  'instanceUrl',
  'restEndpoint',
  'serviceUrl',
  'storageAccount',
];

const placeOf = (value: unknown): unknown =>
  typeof value === 'string' && URL.canParse(value) && value.includes('://') ? new URL(value).origin : value;

/** Returns the settings by which a connector goes to another server than before. Empty: it had none. */
export function movedBy(before: ConnectorValues, after: ConnectorValues): string[] {
  if (!addressKeys.some((key) => before[key] !== undefined)) return [];
  return addressKeys.filter((key) => JSON.stringify(placeOf(before[key])) !== JSON.stringify(placeOf(after[key])));
}
