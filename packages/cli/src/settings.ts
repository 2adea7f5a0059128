import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Call } from './command.ts';
import { UsageError } from './exit-codes.ts';

/** Server URL and credentials. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string;
  readonly tenantId: string | undefined;
}

const defaultUrl = 'http://localhost:3000';

/** Resolves flags, then the environment, then the file. Throws UsageError without a key or with an invalid URL. */
export function connectionOf({ flags, environment }: Pick<Call, 'flags' | 'environment'>): Connection {
  const file = readConfigFile(environment);
  const url = urlOf({ flags, environment });
  const apiKey = flags.text('api-key') ?? secretOf(environment, 'ARBITER_API_KEY') ?? file.apiKey;
  const tenantId = flags.text('tenant') ?? blankAsUnset(environment.ARBITER_TENANT_ID) ?? file.tenantId;
  if (apiKey === undefined) {
    throw new UsageError('no API key: pass --api-key, set ARBITER_API_KEY, or run "arbiter login"');
  }
  return { url, apiKey, tenantId };
}

/** Address of the server, without a trailing slash. Throws UsageError for anything else. */
export function urlOf({ flags, environment }: Pick<Call, 'flags' | 'environment'>): string {
  const file = readConfigFile(environment);
  const url = flags.text('url') ?? blankAsUnset(environment.ARBITER_URL) ?? file.url ?? defaultUrl;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`${url} isn't an http or https URL`);
  }
  return url.replace(/\/+$/, '');
}

/** Returns a secret from the environment or from the file in `<NAME>_FILE`; undefined if neither is set. */
export function secretOf(environment: Call['environment'], name: string): string | undefined {
  const direct = blankAsUnset(environment[name]);
  const path = blankAsUnset(environment[`${name}_FILE`]);
  if (direct !== undefined || path === undefined) return direct;
  try {
    return blankAsUnset(readFileSync(path, 'utf8').trim());
  } catch (error) {
    throw new UsageError(`${name}_FILE: ${reasonOf(error)}`);
  }
}

interface ConfigFile {
  readonly url?: string;
  readonly apiKey?: string;
  readonly tenantId?: string;
}

function configPath(environment: Call['environment']): string {
  return join(blankAsUnset(environment.XDG_CONFIG_HOME) ?? join(homedir(), '.config'), 'arbiter', 'config.json');
}

/** Saves a connection for later commands. Writes atomically, readable only by this user. */
export function writeConfigFile(
  environment: Call['environment'],
  connection: { readonly url: string; readonly apiKey: string; readonly tenantId: string | undefined },
): void {
  const path = configPath(environment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function readConfigFile(environment: Call['environment']): ConfigFile {
  const path = configPath(environment);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new UsageError(`${path}: ${reasonOf(error)}`);
  }
  return parseConfigFile(path, text);
}

function parseConfigFile(path: string, text: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: ${reasonOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${path} isn't a JSON object`);
  const entries = new Map<string, unknown>(Object.entries(value));
  const known = ['url', 'apiKey', 'tenantId'] as const;
  const found: Partial<Record<(typeof known)[number], string>> = {};
  for (const key of known) {
    const entry = entries.get(key);
    if (entry === undefined || entry === null) continue;
    if (typeof entry !== 'string') throw new UsageError(`${path}: ${key} must be a string`);
    found[key] = entry;
  }
  return found;
}

function blankAsUnset(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
