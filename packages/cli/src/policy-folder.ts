import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { PolicyFile } from '@arbiter/contract';
import { UsageError } from './exit-codes.ts';

/** A folder with the configuration of a tenant: `arbiter export`, `plan`, `apply` (docs/design/api-settled.md 23). */

/** How the first line of a file begins that `export` wrote, and may remove. */
const ownMark = '# Written by arbiter export.';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Paths below the folder, with `/`. Names that begin with a dot are passed over. */
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
 * All files below a folder. Only the texts of YAML files are read: what else lies there is for the server to refuse. Throws
 * UsageError when the folder cannot be read, or a file is not UTF-8.
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
 * Makes the folder hold these files. Removes files that an export wrote before and that are none of them; others stay.
 * Answers how many files were written because they are new or differ, and how many were removed.
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

/** Names of the secrets that files hold. */
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

/** The variable that holds a secret: upper case, what is no letter or digit as `_`. */
const secretVariable = (name: string): string => `ARBITER_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;

/**
 * Values of the secrets that the files name: those of the JSON file (`{ "<name>": "<value>" }`), else those of the
 * environment. One that is nowhere is left out: the server keeps what it has, or says that it needs it.
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
    throw new UsageError(`${path} is not a JSON object of texts`);
  }
  return new Map(entries.map(([name, secret]) => [name, String(secret)]));
}
