import { readFileSync, statSync } from 'node:fs';
import type { OverlayChange } from '@arbiter/contract';
import { loadServer } from './commands/operator/serve.ts';
import { UsageError } from './exit-codes.ts';
import { readFolder } from './policy-folder.ts';

/** Maximum changes of an overlay. */
const maxChanges = 100;

/**
 * Reads an overlay: a JSON list of changes, which the server checks, or a folder with changed files of policy as code.
 * Throws UsageError for anything else.
 */
export async function readOverlay(path: string): Promise<OverlayChange[]> {
  return isFolder(path) ? changesIn(path) : listIn(path);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listIn(file: string): OverlayChange[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Array.isArray(parsed)) throw new UsageError(`${file} must be a JSON list of changes`);
  return parsed;
}

async function changesIn(folder: string): Promise<OverlayChange[]> {
  const files = readFolder(folder);
  const { overlayOfFolder } = await loadServer();
  const { changes, errors } = await overlayOfFolder(files);
  const [first] = errors;
  if (first !== undefined) {
    const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
    throw new UsageError(`${folder}/${first.path} ${first.message}${more}`);
  }
  if (changes.length === 0) throw new UsageError(`${folder} has no files of policy as code`);
  if (changes.length > maxChanges) {
    throw new UsageError(
      `${folder} has ${changes.length} files, but at most ${maxChanges} can be tried. Keep only those you changed`,
    );
  }
  return [...changes];
}
