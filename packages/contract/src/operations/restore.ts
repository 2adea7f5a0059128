import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText } from '../core/schemas.ts';

/** What was restored. */
export const Restored = Type.Object(
  {
    restored: Type.Literal(true, { description: 'Always true.' }),
    entityType: Type.String({ description: 'Kind of the record in camel case.' }),
    id: Id('ID of the record.'),
    version: Type.Integer({ description: 'Current version of the record. Restoring raises it by one.' }),
  },
  { description: 'The restored record.' },
);
export type Restored = Static<typeof Restored>;

export const restoreOperations = {
  restore: operation({
    id: 'records.restore',
    method: 'POST',
    path: '/api/v1/restore',
    tag: 'Restore',
    summary: 'Restore a deleted record',
    description:
      'A channel is restored with the placements deleted with it, an offer without its creatives, and a ' +
      'flow without its routes and not as the default. Returns 409 if the name or key has been taken in ' +
      'the meantime, or if a record it needs is still deleted.',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    query: Type.Object(
      {
        entityType: IdText('Kind of the record, such as `subCategory`, `sub_category` or `sub-category`.'),
        id: IdText('ID of the record.'),
      },
      { description: 'Record to restore.' },
    ),
    changesCatalogue: true,
    responses: { 200: { description: 'The record was restored.', schema: Restored } },
    errors: ['unknown_entity_type', 'not_found', 'not_deleted', 'duplicate_name', 'duplicate_key', 'in_use'],
    audit: [{ action: 'restore', entityType: '*' }],
    transaction: 'tenant',
  }),
} as const;
