import { type Members, membersOf } from '../json.ts';
import type { KindRules } from './kind-rules.ts';

/** System types are part of the product and have no files; a key that a deleted type has is taken up again. */
export const outcomeTypeRules: KindRules = {
  isConfiguration: (record) => record.isSystem !== true,
};

export const isDeletedWithKey = (record: Members, key: unknown): boolean =>
  membersOf(record).key === key && typeof record.deletedAt === 'string';
