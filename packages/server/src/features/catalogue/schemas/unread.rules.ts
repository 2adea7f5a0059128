import type { Remark } from '../../../platform/remark.ts';

/** Says that a schema of customers holds rows that decisions don't read. */
export const unreadRemark = (name: string): Remark => ({
  path: '/autoEnrich',
  nearest: null,
  reason: `Decisions don't read the rows of ${name}, so they don't know its customers.`,
  suggestion: 'Set autoEnrich to true, or add the schema to an enrich node of a flow.',
  code: 'rows_not_read',
});
