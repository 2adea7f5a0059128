export {
  countAllDeadLetters,
  countDeadLetters,
  eraseDeadLetters,
  listDeadLetters,
  purgeDeadLetters,
  retryDeadLetters,
} from './dead-letters.store.ts';
export { type EventType, event, newEvent, type StreamEvent } from './event.ts';
export { installationJob, job } from './job.ts';
export { type Lease, releaseLease, takeLease } from './leases.store.ts';
export { machineryJobs } from './machinery.ts';
export { Postponed } from './postponed.ts';
export {
  countJobs,
  countOwnJobs,
  dropJob,
  enqueueJob,
  enqueueJobs,
  enqueueRuns,
  forgetJobs,
  tenantsWithoutConsumer,
} from './queue.store.ts';
export { createQueueKeeper } from './queue-keeper.ts';
export {
  createJobRegistry,
  handleInstallationJob,
  handleJob,
  type JobHandler,
  type JobRegistry,
  type TenantJobRun,
} from './registry.ts';
export { claimDueRuns, createScheduler, type Scheduler } from './scheduler.ts';
export { clearSchedule, cronProblem, findSchedule, setSchedule } from './schedules.service.ts';

export { handleInSlices, type Removed } from './slices.ts';
export { createWorker, queueConnections, type Worker } from './worker.ts';
