import type { ErrorEntry, PolicyFile } from '@arbiter/contract';
import { type FolderFiles, readPolicyFolder } from '../../gitops/index.ts';
import { type FolderCatalogue, readFolderCatalogue } from './folder-catalogue.ts';
import { type FolderFlows, readFlows } from './folder-flows.ts';

/** A flow that can't run, and why. */
export interface SkippedFlow {
  readonly file: string;
  readonly name: string;
  readonly reason: string;
}

export interface OpenFolder extends Pick<FolderFlows, 'directory' | 'toCheck'> {
  readonly folder: FolderFiles;
  readonly catalogue: FolderCatalogue;
  readonly skipped: readonly SkippedFlow[];
}

interface RefusedFolder {
  /** Why files can't be applied; `path`: `<file>#<pointer>`. */
  readonly errors: readonly ErrorEntry[];
  readonly skipped: readonly SkippedFlow[];
}

/** Reads a folder of policy as code as decisions would read the tenant to which it's applied. */
export async function openFolder(files: readonly PolicyFile[]): Promise<OpenFolder | RefusedFolder> {
  const folder = await readPolicyFolder(files);
  const errors: ErrorEntry[] = [...folder.errors];
  if (errors.length > 0) return { errors, skipped: [] };
  const refuse = (file: string, problems: readonly ErrorEntry[]): void => {
    for (const { path, message } of problems) errors.push({ path: `${file}#${path}`, message });
  };
  const catalogue = await readFolderCatalogue(folder, refuse);
  const { directory, toCheck, idle } = readFlows(folder, catalogue, refuse);
  const skipped = idle.map(({ path, ...rest }) => ({ file: path, ...rest }));
  return errors.length > 0 ? { errors, skipped } : { skipped, folder, catalogue, directory, toCheck };
}
