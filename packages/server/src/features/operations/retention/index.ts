import { retentionOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { retentionRoutes } from './retention.routes.ts';

export { changeRetention, listRetention, removeByAge, removedBefore, retentionOf } from './retention.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['retention_configs', 'retention_removals'];

export const retentionFeature = feature({
  name: 'retention',
  tables,
  resets: {
    empties: ['retention_removals'],
    keeps: { retention_configs: 'retention is set by admins, like other settings' },
  },
  operations: () => handlerEntries(retentionOperations, retentionRoutes()),
});
