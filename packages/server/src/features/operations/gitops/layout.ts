import { createHash } from 'node:crypto';

/**
 * A record's name in files: its key or name; below a parent, the parent's and its own (docs/design/api-settled.md 24).
 */
export type Ref = readonly [string, ...string[]];

/** As files and answers carry it. */
export const shownRef = (ref: Ref): string | string[] => (ref.length === 1 ? ref[0] : [...ref]);

/** As texts carry it: `"Gold card"`, `["web", "top"]`. */
export const toldRef = (ref: Ref): string => JSON.stringify(shownRef(ref));

/** One text for each reference. */
export const refKey = (entityType: string, ref: Ref): string => `${entityType} ${JSON.stringify(ref)}`;

const longestSlug = 60;

/** File name without extension (docs/design/api-settled.md 23). */
function slugOf(ref: Ref): string {
  const text = ref.join('-');
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, longestSlug);
  const exact = ref.length === 1 ? ref[0] : JSON.stringify(ref);
  if (slug === exact) return slug;
  return `${slug}-${createHash('sha256').update(exact).digest('hex').slice(0, 8)}`;
}

/** Returns the path of a record's file. `isNested`: its parent has a folder of its own. */
export function pathOf({ type, isNested }: { readonly type: string; readonly isNested: boolean }, ref: Ref): string {
  const [parent, child, ...deeper] = ref;
  if (!isNested || child === undefined) return `${type}/${slugOf(ref)}.yaml`;
  return `${type}/${slugOf([parent])}/${slugOf([child, ...deeper])}.yaml`;
}

/** The file with the settings of the tenant. */
export const settingsPath = 'settings.yaml';

/** First line of every file that is written; by it `arbiter export` knows files that it may remove. */
export const headerLine = '# Written by arbiter export. Change it, then: arbiter plan, arbiter apply.';

/** Hex SHA-256 of files by path. */
export function hashOf(files: readonly { readonly path: string; readonly content: string }[]): string {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const { path, content } of sorted) hash.update(JSON.stringify([path, content]));
  return hash.digest('hex');
}
