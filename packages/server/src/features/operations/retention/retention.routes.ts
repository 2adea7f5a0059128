import type { RetentionConfig as Answer, retentionOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { listRetention, setRetention } from './retention.service.ts';
import type { RetentionConfig } from './retention.store.ts';

const showRetention = ({ id, dataClass, retentionDays, legalHold }: RetentionConfig): Answer => ({
  id,
  dataClass,
  retentionDays,
  legalHold,
});

/** Handlers of the retention configurations. */
export function retentionRoutes(): Handlers<typeof retentionOperations> {
  return {
    list: async (tx) => reply(200, (await listRetention(tx)).map(showRetention)),
    set: async (tx, { body: { dataClass, retentionDays, legalHold } }) => {
      const change = legalHold === undefined ? { days: retentionDays } : { days: retentionDays, legalHold };
      const { config, warning } = await setRetention(tx, dataClass, change);
      return reply(200, { ...showRetention(config), warning });
    },
  };
}
