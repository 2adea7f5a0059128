import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

/** Secrets that the server may generate, with the form of each (docs/design/api-access.md 5.1). */
const makers = {
  JWT_SIGNING_SECRET: () => randomBytes(32).toString('hex'),
  NEXTAUTH_SECRET: () => randomBytes(32).toString('hex'),
  API_KEY_PEPPER: () => randomBytes(32).toString('hex'),
  DATA_ENCRYPTION_KEY: () => randomBytes(32).toString('base64'),
} as const;

/**
 * Fills absent secrets from DATA_DIR/secrets.json, and makes them there once. A variable that is present but blank stays
 * unset. Does nothing unless AUTO_SECRETS is on, which it is by default with the embedded database only.
 */
export async function withAutoSecrets(config: Config): Promise<Config> {
  const enabled = config.AUTO_SECRETS ?? config.DATABASE_URL === null;
  if (!enabled) return config;
  const file = secretsFile(config);
  const storedSecrets = await readSecrets(file);
  const allSecrets: Record<string, string> = { ...storedSecrets };
  const used: Record<string, string> = {};
  for (const [name, make] of Object.entries(makers)) {
    if (config[name as keyof typeof makers] !== null || config.blank.includes(name)) continue;
    const secret = storedSecrets[name] ?? make();
    allSecrets[name] = secret;
    used[name] = secret;
  }
  if (Object.keys(allSecrets).length !== Object.keys(storedSecrets).length) await writePrivately(file, allSecrets);
  return { ...config, ...used };
}

const secretsFile = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string => join(DATA_DIR, 'secrets.json');

const secretNames = Object.keys(makers) as (keyof typeof makers)[];

/** The secrets that an installation has: those of its configuration, else those of DATA_DIR/secrets.json. Makes none. */
export async function presentSecrets(config: Config): Promise<Readonly<Record<string, string>>> {
  const enabled = config.AUTO_SECRETS ?? config.DATABASE_URL === null;
  const stored = enabled ? await readSecrets(secretsFile(config)) : {};
  const found: Record<string, string> = {};
  for (const name of secretNames) {
    const value = config[name] ?? (config.blank.includes(name) ? null : stored[name]);
    if (typeof value === 'string') found[name] = value;
  }
  if (config.DATA_ENCRYPTION_KEYS_OLD.length > 0)
    found.DATA_ENCRYPTION_KEYS_OLD = config.DATA_ENCRYPTION_KEYS_OLD.join(',');
  return found;
}

/**
 * Writes restored secrets to DATA_DIR/secrets.json. Throws ConfigError when the installation has another value of one of them:
 * neither of the two may be lost.
 */
export async function storeSecrets(config: Config, secrets: Readonly<Record<string, string>>): Promise<string> {
  await assertSameSecrets(config, secrets);
  const file = secretsFile(config);
  await writePrivately(file, { ...(await readSecrets(file)), ...secrets });
  return file;
}

/** See `storeSecrets`. */
export async function assertSameSecrets(config: Config, secrets: Readonly<Record<string, string>>): Promise<void> {
  const present = await presentSecrets(config);
  const other = secretNames.filter((name) => present[name] !== undefined && present[name] !== secrets[name]);
  if (other.length === 0) return;
  throw new ConfigError([
    `${other.join(', ')} differ from the backup's. Unset them, or move ${secretsFile(config)} away, and restore again.`,
  ]);
}

async function readSecrets(file: string): Promise<Record<string, string>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return {};
    throw error;
  }
  // Keep the file private, wherever it was restored from.
  await chmod(file, 0o600);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string')) {
      return value as Record<string, string>;
    }
  } catch {
    // Reported below, without the content.
  }
  // Making new ones would lock out every key and seal: better to stop.
  throw new ConfigError([`DATA_DIR has a secrets.json that can't be read: ${file}`]);
}

/** Writes a file that only this user can read, whole or not at all. */
export async function writePrivately(file: string, value: unknown): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

/** The keys that customers' data is sealed under, newest first; none without DATA_ENCRYPTION_KEY. */
export const masterKeysOf = (config: Pick<Config, 'DATA_ENCRYPTION_KEY' | 'DATA_ENCRYPTION_KEYS_OLD'>): Buffer[] =>
  [config.DATA_ENCRYPTION_KEY, ...config.DATA_ENCRYPTION_KEYS_OLD]
    .filter((key) => key !== null)
    .map((key) => Buffer.from(key, 'base64'));
