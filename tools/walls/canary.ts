import { featureTiers } from './tiers.ts';

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/**
 * Code that breaks a rule, which must be reported in one of these files. No other canary has files with these names.
 */
export interface Canary {
  readonly rule: string;
  readonly files: Files;
}

export const server = 'packages/server/src';
export const [lowest = ''] = featureTiers.flat();
/** Path of a feature below `features/`. Rules don't depend on its group. */
export const folderOf = (name: string): string => `any-group/${name}`;
/** Folder of a feature, for canaries that apply to any feature. */
export const feature = `${server}/features/${folderOf(lowest)}`;

/** Makes one canary per text, each a file of its own in the folder. `ending`: the rest of the file's name. */
export function breaking(rule: string, folder: string, texts: readonly string[], ending = '.ts'): readonly Canary[] {
  return texts.map((text, index) => ({ rule, files: { [`${folder}/${rule}-${index}${ending}`]: `${text}\n` } }));
}

export const importing = (specifier: string): string => `import { x } from '${specifier}';\nexport const y = x;`;
