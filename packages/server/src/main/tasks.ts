import { systemActor } from '../db/index.ts';
import { expireStream } from '../features/decisions/index.ts';
import type { Tasks } from '../jobs/index.ts';
import type { Server } from './compose.ts';

/** The handlers of background jobs, by task name; each feature with jobs is plugged in here. */
export function tasksOf({ database }: Pick<Server, 'database'>): Tasks {
  return {
    'stream.expire': async (_payload, { tenantId, signal }) => {
      if (tenantId === null) throw new Error('stream.expire is work of one tenant');
      let more = true;
      while (more && !signal.aborted)
        more = await database.withTenant(tenantId, systemActor('stream-expire'), expireStream);
      if (more) throw new Error('the process stopped before the stream was cut');
    },
  };
}
