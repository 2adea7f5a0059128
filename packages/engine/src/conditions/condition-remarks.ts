import { type ConfigRemark, unknownKeys } from '../compile/config-problems.ts';
import type { Json } from '../plan/snapshot.ts';

const groupKeys = ['logic', 'conditions', 'all', 'any'];
const leafKeys = ['field', 'operator', 'value'];

/** Keys of a condition's groups and leaves that mean nothing. For a condition that could be compiled, which bounds it. */
export function conditionRemarks(value: Json | undefined, path: string): ConfigRemark[] {
  if (Array.isArray(value)) return value.flatMap((item: Json, at) => conditionRemarks(item, `${path}/${at}`));
  if (typeof value !== 'object' || value === null) return [];
  const group = value as { readonly [key: string]: Json };
  const lists = ['conditions', 'all', 'any'].filter((key) => group[key] !== undefined);
  if (lists.length === 0) return unknownKeys(group, leafKeys, path);
  return [
    ...unknownKeys(group, groupKeys, path),
    ...lists.flatMap((key) => conditionRemarks(group[key], `${path}/${key}`)),
  ];
}
