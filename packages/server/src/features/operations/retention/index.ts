import { retentionOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { retentionRoutes } from './retention.routes.ts';

export { changeRetention, listRetention, removeByAge, retentionOf } from './retention.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['retention_configs'];

export const retentionFeature = feature({
  name: 'retention',
  tables,
  resets: { keeps: { retention_configs: 'retention is set by admins, like other settings' } },
  operations: () => handlerEntries(retentionOperations, retentionRoutes()),
});
