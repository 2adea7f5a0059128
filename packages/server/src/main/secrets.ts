import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

/** Secrets that may be made by the server itself, with the form each has (docs/design/api-access.md 5.1). */
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
  const file = join(config.DATA_DIR, 'secrets.json');
  const kept = await readSecrets(file);
  const made: Record<string, string> = { ...kept };
  const used: Record<string, string> = {};
  for (const [name, make] of Object.entries(makers)) {
    if (config[name as keyof typeof makers] !== null || config.blank.includes(name)) continue;
    const secret = kept[name] ?? make();
    made[name] = secret;
    used[name] = secret;
  }
  if (Object.keys(made).length !== Object.keys(kept).length) await writePrivately(file, made);
  return { ...config, ...used };
}

async function readSecrets(file: string): Promise<Record<string, string>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return {};
    throw error;
  }
  // The file is private, whoever restored it from where.
  await chmod(file, 0o600);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string')) {
      return value as Record<string, string>;
    }
  } catch {
    // Told below, without the content.
  }
  // Making new ones would lock out every key and seal: better to stop.
  throw new ConfigError([`DATA_DIR holds a secrets.json that cannot be read: ${file}`]);
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
