import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { PolicyFile } from '@arbiter/contract';
import { UsageError } from './exit-codes.ts';

/** Reads and writes a folder with a tenant's configuration, for `arbiter export`, `plan` and `apply` (docs/design/api-settled.md, section 23). */

/** First line of files written by `export`, which a later export may delete. */
const ownMark = '# Written by arbiter export.';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the paths below the folder, with `/`. Skips names that start with a dot. */
function pathsBelow(folder: string, under = ''): string[] {
  let names: string[];
  try {
    names = readdirSync(join(folder, under)).sort();
  } catch (error) {
    throw new UsageError(`${folder}: ${reasonOf(error)}`);
  }
  return names.flatMap((name) => {
    if (name.startsWith('.')) return [];
    const path = posix.join(under, name);
    return statSync(join(folder, path)).isDirectory() ? pathsBelow(folder, path) : [path];
  });
}

/**
 * Reads all files below a folder. Other files than YAML have no content here, so that the server rejects them by name.
 * Throws UsageError when the folder can't be read or a file isn't UTF-8.
 */
export function readFolder(folder: string): PolicyFile[] {
  return pathsBelow(folder).map((path) => {
    if (!path.endsWith('.yaml')) return { path, content: '' };
    try {
      return { path, content: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(folder, path))) };
    } catch (error) {
      throw new UsageError(`${join(folder, path)}: ${reasonOf(error)}`);
    }
  });
}

/**
 * Writes these files to the folder and deletes files of an earlier export that aren't among them. Leaves other files alone.
 * Returns how many files were written because they are new or changed, and how many were deleted.
 */
export function writeFolder(folder: string, files: readonly PolicyFile[]): { written: number; removed: number } {
  mkdirSync(folder, { recursive: true });
  const wanted = new Set(files.map(({ path }) => path));
  let removed = 0;
  for (const path of pathsBelow(folder)) {
    if (wanted.has(path) || !path.endsWith('.yaml')) continue;
    if (!readFileSync(join(folder, path), 'utf8').startsWith(ownMark)) continue;
    rmSync(join(folder, path));
    removed += 1;
  }
  let written = 0;
  for (const { path, content } of files) {
    const target = join(folder, path);
    if (textIn(target) === content) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    written += 1;
  }
  return { written, removed };
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

const secretPattern = /["']?\$secret["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,}#]+)/g;

/** Returns the names of the secrets in the files. */
function secretNames(files: readonly PolicyFile[]): string[] {
  const names = files.flatMap(({ content }) => [...content.matchAll(secretPattern)].map(([, text]) => unquoted(text!)));
  return [...new Set(names)].sort();
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1);
  }
}

/** Returns the variable of a secret: upper case, with `_` for anything that isn't a letter or digit. */
const secretVariable = (name: string): string => `ARBITER_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;

/**
 * Returns the values of the secrets named in the files, from the JSON file (`{ "<name>": "<value>" }`) or the environment.
 * Leaves out secrets without a value: the server keeps its own, or reports that one is missing.
 */
export function readSecrets(
  files: readonly PolicyFile[],
  environment: Readonly<Record<string, string | undefined>>,
  path: string | undefined,
): Record<string, string> {
  const named = path === undefined ? new Map<string, string>() : readSecretsFile(path);
  const found = secretNames(files).flatMap((name): [string, string][] => {
    const value = named.get(name) ?? environment[secretVariable(name)];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

function readSecretsFile(path: string): Map<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path}: ${reasonOf(error)}`);
  }
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  if (entries === null || entries.some(([, secret]) => typeof secret !== 'string')) {
    throw new UsageError(`${path} must be a JSON object of strings`);
  }
  return new Map(entries.map(([name, secret]) => [name, String(secret)]));
}
