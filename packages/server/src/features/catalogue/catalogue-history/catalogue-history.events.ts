import Type from 'typebox';
import { event } from '../../../jobs/index.ts';

/**
 * A catalogue record was created, changed, deleted or restored, in any way. The database writes the events with
 * the catalogue's next version (`arbiter.raise_catalogue_version`), one for each record that the transaction changed.
 */
export const catalogueChanged = event({
  type: 'catalogue.changed.v1',
  payload: Type.Object(
    {
      entityType: Type.String({
        minLength: 1,
        description:
          'Type of the record, as in the audit log. `flowVersion`: a published version of the flow with this ID.',
      }),
      id: Type.String({ format: 'uuid', description: 'ID of the record. Of `tenantSettings`: ID of the tenant.' }),
      version: Type.Integer({ minimum: 1, description: 'Version of the record after the change.' }),
    },
    { additionalProperties: false },
  ),
});
