import { systemActor, type Tx } from '../db/index.ts';
import { expireRequests, expireResponseKeys } from '../features/decisions/index.ts';
import { expireStream } from '../features/stream/index.ts';
import type { TaskHandler, Tasks } from '../jobs/index.ts';
import type { Server } from './compose.ts';

/** Tasks that the loops of `background.ts` ask for, once an hour and tenant. */
export const hourlyTasks = ['stream.expire', 'keys.expire'] as const;

/** The handlers of background jobs, by task name; each feature with jobs is plugged in here. */
export function tasksOf({ database }: Pick<Server, 'database'>): Tasks {
  /** Work of one tenant in short transactions, until each step says that nothing is left. */
  const inSlices =
    (task: string, steps: readonly ((tx: Tx) => Promise<boolean>)[]): TaskHandler =>
    async (_payload, { tenantId, signal }) => {
      if (tenantId === null) throw new Error(`${task} is work of one tenant`);
      const actor = systemActor(task.replace('.', '-'));
      for (const step of steps) {
        let more = true;
        while (more && !signal.aborted) more = await database.withTenant(tenantId, actor, step);
        if (more) throw new Error(`the process stopped before ${task} was done`);
      }
    };
  return {
    'stream.expire': inSlices('stream.expire', [expireStream]),
    'keys.expire': inSlices('keys.expire', [expireResponseKeys, expireRequests]),
  } satisfies Record<(typeof hourlyTasks)[number], TaskHandler>;
}
