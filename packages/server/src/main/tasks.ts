import type { Tasks } from '../jobs/index.ts';
import type { Server } from './compose.ts';

/** The handlers of background jobs, by task name; each feature with jobs is plugged in here. */
export function tasksOf(_server: Server): Tasks {
  return {};
}
