import type { restoreOperations } from '@arbiter/contract';
import type { Restorable } from '../../../feature.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { TellChange } from '../catalogue-records/index.ts';
import { bySpelling } from './spellings.rules.ts';

export interface RestorePorts {
  /** Of all features. */
  readonly restorables: readonly Restorable[];
  /** Told of offers that came back. */
  readonly tellChange: TellChange;
}

/** Handler of the restore of any deleted record. */
export function restoreRoutes({ restorables, tellChange }: RestorePorts): Handlers<typeof restoreOperations> {
  const known = bySpelling(restorables);
  return {
    restore: async (tx, { query }) => {
      const restorable = known.get(query.entityType);
      if (restorable === undefined) {
        throw new AppError('unknown_entity_type', {
          detail: `Records of this kind can't be restored; ${restorables.map(({ entityType }) => entityType).join(', ')} can.`,
          errors: [{ path: 'query.entityType', message: 'must be a kind of record that can be restored' }],
        });
      }
      const id = query.id.toLowerCase();
      const version = await restorable.restore(tx, id);
      if (restorable.entityType === 'offer') {
        tellChange(tx, { trigger: 'offer.restored', entityType: 'offer', entityId: id, offerId: id });
      }
      return reply(200, { restored: true as const, entityType: restorable.entityType, id, version });
    },
  };
}
