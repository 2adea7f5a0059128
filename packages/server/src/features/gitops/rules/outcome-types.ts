import type { KindRules } from './kind-rules.ts';

/** System types are part of the product and have no files. */
export const outcomeTypeRules: KindRules = {
  isConfiguration: (record) => record.isSystem !== true,
};
