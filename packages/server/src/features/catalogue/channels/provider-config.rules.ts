import { type ErrorEntry, type ProviderConfig, providerKeys } from '@arbiter/contract';
import { listWords } from '@arbiter/engine';
import type { SealPlace } from '../../../platform/crypto/crypto.ts';
import type { Remark } from '../../../platform/remark.ts';
import { secretMask } from '../../identity/audit/index.ts';

const secretKeys = ['secretAccessKey', 'apiKey', 'authToken', 'accessToken', 'serviceAccount', 'secret'] as const;

/**
 * Checks what the schema can't express: keys of another provider, headers that differ only in case, and service
 * accounts that aren't JSON.
 */
export function providerProblems(config: ProviderConfig): ErrorEntry[] {
  const { provider, headers = {}, serviceAccount } = config;
  const known: readonly string[] = [...providerKeys.common, ...(provider === undefined ? [] : providerKeys[provider])];
  const whose = provider === undefined ? 'without a provider' : `for the provider ${provider}`;
  const problems: ErrorEntry[] = Object.keys(config)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: `/providerConfig/${key}`,
      message: `is not a valid key ${whose}; valid keys are ${listWords(known)}`,
    }));
  const names = new Set<string>();
  for (const name of Object.keys(headers)) {
    if (names.has(name.toLowerCase())) {
      problems.push({ path: headerPlace(name), message: 'is listed more than once; letter case is ignored' });
    }
    names.add(name.toLowerCase());
  }
  if (typeof serviceAccount === 'string' && serviceAccount !== secretMask && !isJsonObject(serviceAccount)) {
    problems.push({ path: '/providerConfig/serviceAccount', message: 'must be a service account as JSON' });
  }
  return problems;
}

/** JSON Pointer to the value of a header in the body. */
const headerPlace = (name: string) => `/providerConfig/headers/${name.replaceAll('~', '~0')}`;

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Returns warnings for keys that the provider doesn't read. */
export function providerRemarks({ provider, url, headers }: ProviderConfig): Remark[] {
  if (provider === 'webhook') return [];
  return Object.entries({ url, headers })
    .filter(([, value]) => value !== undefined)
    .map(([key]) => ({
      path: `/providerConfig/${key}`,
      nearest: null,
      reason: 'has no effect: only the provider webhook uses it',
    }));
}

/** A config in two parts: what records show, and its secrets by path below the config. */
export interface SplitConfig {
  readonly shown: ProviderConfig;
  /** Secrets to store. */
  readonly given: ReadonlyMap<string, string>;
  /** Masked secrets keep their stored value: path of the stored secret, and where the body has the mask. */
  readonly kept: ReadonlyMap<string, string>;
}

/** Replaces secrets by masks. */
export function splitConfig(config: ProviderConfig): SplitConfig {
  const given = new Map<string, string>();
  const maskedSecrets = new Map<string, string>();
  const hide = (path: string, place: string, value: unknown): string => {
    if (value === secretMask) maskedSecrets.set(path, place);
    else given.set(path, typeof value === 'string' ? value : JSON.stringify(value));
    return secretMask;
  };
  const shown: Record<string, unknown> = { ...config };
  for (const key of secretKeys) {
    if (config[key] !== undefined) shown[key] = hide(`/${key}`, `/providerConfig/${key}`, config[key]);
  }
  if (config.headers !== undefined) {
    shown.headers = Object.fromEntries(
      Object.entries(config.headers).map(([name, value]) => [
        name,
        hide(`/headers/${name.toLowerCase()}`, headerPlace(name), value),
      ]),
    );
  }
  return { shown, given, kept: maskedSecrets };
}

/**
 * Whether secrets of one config may be used with the other. Otherwise, someone who may change a channel but never saw
 * its secrets could have them sent to their own address.
 */
export function goesToTheSame(before: ProviderConfig, after: ProviderConfig): boolean {
  return before.provider === after.provider && originOf(before.url) === originOf(after.url);
}

function originOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : '';
}

/** The place of a channel's secret; `path` is below the config. */
export function providerSecretPlace(tenantId: string, channelId: string, path: string): SealPlace {
  return { tenantId, recordId: channelId, field: `providerConfig${path}` };
}

/** Returns the dotted paths of the secrets to store, as audit rows name them. */
export function givenPaths({ shown, given }: SplitConfig): string[] {
  const keys: readonly string[] = secretKeys.filter((key) => given.has(`/${key}`));
  const headers = Object.keys(shown.headers ?? {}).filter((name) => given.has(`/headers/${name.toLowerCase()}`));
  return [...keys, ...headers.map((name) => `headers.${name}`)].map((path) => `providerConfig.${path}`);
}
