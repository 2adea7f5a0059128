import type { ErrorEntry, KindOfProvider, NotificationKind } from '@arbiter/contract';
import { isMailAddress } from '../../../config/mail-settings.ts';
import { isObject } from '../../../platform/json.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { secretMask } from '../../identity/audit/index.ts';

/** A config as sent or as stored: secrets in clear, or bullets in their place. */
export type DestinationConfig = Readonly<Record<string, unknown>>;

/** The kinds as forms ask for them (docs/design/api-access.md 9). */
export const kindsOfProviders: readonly KindOfProvider[] = [
  {
    kind: 'slack',
    displayName: 'Slack',
    fields: [{ name: 'webhookUrl', label: 'Webhook URL', type: 'url', required: true, secret: true }],
  },
  {
    kind: 'teams',
    displayName: 'Microsoft Teams',
    fields: [{ name: 'webhookUrl', label: 'Webhook URL', type: 'url', required: true, secret: true }],
  },
  {
    kind: 'webhook',
    displayName: 'Webhook',
    fields: [
      { name: 'url', label: 'URL', type: 'url', required: true, secret: false },
      { name: 'secret', label: 'Signing secret', type: 'text', required: false, secret: true },
      { name: 'headers', label: 'Headers', type: 'headers', required: false, secret: true },
    ],
  },
  {
    kind: 'ops_email',
    displayName: 'E-mail',
    fields: [
      { name: 'toEmails', label: 'To', type: 'emails', required: true, secret: false },
      { name: 'fromEmail', label: 'From', type: 'email', required: false, secret: false },
      { name: 'replyTo', label: 'Reply-to', type: 'email', required: false, secret: false },
    ],
  },
];

export const namesOf = (kind: NotificationKind): readonly string[] =>
  kindsOfProviders.find((known) => known.kind === kind)?.fields.map(({ name }) => name) ?? [];

const maxHeaders = 20;
const maxAddresses = 50;
const longestUrl = 2048;

/** Our own headers, which a custom one must not replace (docs/design/quality.md T28). */
const ownHeaders =
  /^(content-type|content-encoding|accept-encoding|cookie|x-service-signature|webhook-(id|timestamp|signature))$/i;

/**
 * Returns the problems of a whole config, with paths below the body's `config`. Unknown values have already been
 * removed.
 */
export function configProblems(kind: NotificationKind, config: DestinationConfig, rules: OutboundRules): ErrorEntry[] {
  switch (kind) {
    case 'slack':
    case 'teams':
      return urlProblems('/config/webhookUrl', config.webhookUrl, rules);
    case 'webhook':
      return [
        ...urlProblems('/config/url', config.url, rules),
        ...secretProblems(config.secret),
        ...headerProblems(config.headers, rules),
      ];
    case 'ops_email':
      return [
        ...addressesProblems(config.toEmails),
        ...(['fromEmail', 'replyTo'] as const).flatMap((name) =>
          config[name] === undefined ? [] : addressProblems(`/config/${name}`, config[name]),
        ),
      ];
  }
}

function urlProblems(path: string, url: unknown, rules: OutboundRules): ErrorEntry[] {
  if (url === undefined) return [{ path, message: 'is required' }];
  if (typeof url !== 'string' || url.length > longestUrl) {
    return [{ path, message: `must be a URL of at most ${longestUrl} characters` }];
  }
  if (url === secretMask) return [{ path, message: 'is masked, but no secret is stored; enter the secret' }];
  const problem = rules.urlProblem(url, { anyPort: true });
  if (problem !== null) return [{ path, message: problem }];
  const { username, password } = new URL(url);
  return username === '' && password === '' ? [] : [{ path, message: 'must not contain a user or password' }];
}

function secretProblems(secret: unknown): ErrorEntry[] {
  const path = '/config/secret';
  if (secret === undefined) return [];
  if (secret === secretMask) return [{ path, message: 'is masked, but no secret is stored; enter the secret' }];
  if (typeof secret === 'string' && secret.length >= 16 && secret.length <= 256) return [];
  return [{ path, message: 'must be 16 to 256 characters' }];
}

function headerProblems(headers: unknown, rules: OutboundRules): ErrorEntry[] {
  const path = '/config/headers';
  if (headers === undefined) return [];
  if (!isObject(headers)) return [{ path, message: 'must be an object that maps names to values' }];
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) return [{ path, message: `must have at most ${maxHeaders} headers` }];
  const names = new Set<string>();
  return entries.flatMap(([name, value]) => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (typeof value !== 'string') return [{ path: at, message: 'must be a string' }];
    if (value === secretMask) return [{ path: at, message: 'is masked, but no secret is stored; enter the secret' }];
    if (ownHeaders.test(name)) return [{ path: at, message: "is a header that can't be set" }];
    if (names.has(name.toLowerCase())) return [{ path: at, message: 'is listed more than once' }];
    names.add(name.toLowerCase());
    const problem = rules.headerProblem(name, value);
    return problem === null ? [] : [{ path: at, message: problem }];
  });
}

function addressesProblems(addresses: unknown): ErrorEntry[] {
  const path = '/config/toEmails';
  if (!Array.isArray(addresses) || addresses.length < 1 || addresses.length > maxAddresses) {
    return [{ path, message: `must be a list of 1 to ${maxAddresses} addresses` }];
  }
  return addresses.flatMap((address, at) => addressProblems(`${path}/${at}`, address));
}

function addressProblems(path: string, address: unknown): ErrorEntry[] {
  if (typeof address === 'string' && isMailAddress(address)) return [];
  return [{ path, message: 'must be an address we can send email to' }];
}

/** Splits a whole config into what's shown, and its secrets by their paths below the config. */
export interface SplitDestination {
  readonly shown: DestinationConfig;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Puts bullets in place of secrets. */
export function splitConfig(config: DestinationConfig): SplitDestination {
  const secrets: Record<string, string> = {};
  const hide = (path: string, value: unknown): string => {
    secrets[path] = String(value);
    return secretMask;
  };
  const shown = Object.entries(config).map(([name, value]): [string, unknown] => {
    if (name === 'webhookUrl' || name === 'secret') return [name, hide(name, value)];
    if (name !== 'headers' || !isObject(value)) return [name, value];
    return [
      name,
      Object.fromEntries(Object.entries(value).map(([header, text]) => [header, hide(`headers.${header}`, text)])),
    ];
  });
  return { shown: Object.fromEntries(shown), secrets };
}

/** The config with its secrets in their places. */
export function joinConfig(shown: DestinationConfig, secrets: Readonly<Record<string, string>>): DestinationConfig {
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => {
      if (Object.hasOwn(secrets, name)) return [name, secrets[name]];
      if (name !== 'headers' || !isObject(value)) return [name, value];
      return [
        name,
        Object.fromEntries(
          Object.entries(value).map(([header, text]) => [header, secrets[`headers.${header}`] ?? text]),
        ),
      ];
    }),
  );
}

/**
 * Applies a change to a config: merges nested objects, null removes a value, bullets keep the stored one
 * (docs/design/quality.md E27).
 */
export function mergeConfig(stored: DestinationConfig, change: DestinationConfig): DestinationConfig {
  const merged = new Map(Object.entries(stored));
  for (const [name, value] of Object.entries(change)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else if (value === secretMask && before !== undefined) continue;
    else if (isObject(value)) merged.set(name, mergeConfig(isObject(before) ? before : {}, value));
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** Returns the target for people: a host, or the first address and how many more. */
export function summaryOf(kind: NotificationKind, config: DestinationConfig): string {
  if (kind !== 'ops_email') return new URL(String(config.url ?? config.webhookUrl)).host;
  const addresses: readonly unknown[] = Array.isArray(config.toEmails) ? config.toEmails : [];
  return addresses.length > 1 ? `${addresses[0]} +${addresses.length - 1}` : String(addresses[0]);
}
