import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, IdText } from './core/schemas.ts';

/** What came back. */
export const Restored = Type.Object(
  {
    restored: Type.Literal(true, { description: 'Always true.' }),
    entityType: Type.String({ description: 'Kind of the record, camelCase.' }),
    id: Id('Id of the record.'),
    version: Type.Integer({ description: 'Version of the record now; restoring raises it by one.' }),
  },
  { description: 'A record that is no longer deleted.' },
);
export type Restored = Static<typeof Restored>;

export const restoreOperations = {
  restore: operation({
    id: 'records.restore',
    method: 'POST',
    path: '/api/v1/restore',
    tag: 'Restore',
    summary: 'Bring back a deleted record',
    description:
      'A channel comes back with the placements that were deleted with it, an offer without its creatives, a flow neither ' +
      'as the default nor with its routes. A name or key that was taken meanwhile is 409, and so is a record that it needs ' +
      'and that is still deleted.',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    query: Type.Object(
      {
        entityType: IdText('Kind of the record, such as `subCategory`, `sub_category` or `sub-category`.'),
        id: IdText('Id of the record.'),
      },
      { description: 'Which record.' },
    ),
    changesCatalogue: true,
    responses: { 200: { description: 'It is back.', schema: Restored } },
    errors: ['unknown_entity_type', 'not_found', 'not_deleted', 'duplicate_name', 'duplicate_key', 'in_use'],
    audit: [{ action: 'restore', entityType: '*' }],
    transaction: 'tenant',
  }),
} as const;
