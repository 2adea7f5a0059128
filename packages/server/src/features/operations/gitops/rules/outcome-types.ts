import { deletedOutcomeType } from '../../../catalogue/outcomes/index.ts';
import { membersOf } from '../json.ts';
import type { KindRules } from './kind-rules.ts';

export const outcomeTypeRules: KindRules = {
  /** System types are part of the product and have no files. */
  isConfiguration: (record) => record.isSystem !== true,
  /** A key belongs to its type forever, so a deleted one that has it comes back (docs/design/api-settled.md 26). */
  async create({ values, defaults }, { tx, call }) {
    const id = await deletedOutcomeType(tx, String(values.key));
    if (id === null) return String(membersOf(await call('outcomeTypes.create', { body: values })).id);
    await call('records.restore', { query: { entityType: 'outcomeType', id } });
    const { key: _key, ...body } = { ...Object.fromEntries(defaults), ...values };
    await call('outcomeTypes.updateById', { params: { id }, body });
    return id;
  },
};
