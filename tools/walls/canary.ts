import { featureTiers, folderOf } from './tiers.ts';

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/** Code that breaks a rule: it must be found in one of these files. No other canary has files of these names. */
export interface Canary {
  readonly rule: string;
  readonly files: Files;
}

export const server = 'packages/server/src';
export const [lowest = ''] = featureTiers.flat();
/** Folder of a feature: canaries that are about any feature stand in it. */
export const feature = `${server}/features/${folderOf(lowest)}`;

/** A canary for each text: a file of its own in the folder. `ending` is what follows the file's name. */
export function breaking(rule: string, folder: string, texts: readonly string[], ending = '.ts'): readonly Canary[] {
  return texts.map((text, index) => ({ rule, files: { [`${folder}/${rule}-${index}${ending}`]: `${text}\n` } }));
}

export const importing = (specifier: string): string => `import { x } from '${specifier}';\nexport const y = x;`;
