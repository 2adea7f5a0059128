export {
  countAllDeadLetters,
  countDeadLetters,
  type DeadLetter,
  type DeadLetterFilter,
  eraseDeadLetters,
  listDeadLetters,
  purgeDeadLetters,
  retryDeadLetters,
} from './dead-letters.store.ts';
export { type EventType, event, newEvent, type StreamEvent } from './event.ts';
export { installationJob, type Job, type JobScope, type JobSpec, job } from './job.ts';
export { type Lease, releaseLease, takeLease } from './leases.store.ts';
export { machineryJobs } from './machinery.ts';
export { Postponed } from './postponed.ts';
export {
  countJobs,
  countOwnJobs,
  type EnqueueOptions,
  enqueueJob,
  enqueueRuns,
  forgetJobs,
  tenantsWithoutConsumer,
} from './queue.store.ts';
export { createQueueKeeper, type QueueKeeper } from './queue-keeper.ts';
export {
  createJobRegistry,
  handleInstallationJob,
  handleJob,
  type JobHandler,
  type JobRegistry,
  type JobRun,
  type TenantJobRun,
} from './registry.ts';
export { claimDueRuns, createScheduler, type Scheduler } from './scheduler.ts';
export { clearSchedule, findSchedule, type ScheduleSpec, setSchedule } from './schedules.service.ts';
export type { StoredSchedule } from './schedules.store.ts';
export { handleInSlices, type Removed, type Slice } from './slices.ts';
export { createWorker, queueConnections, type Worker } from './worker.ts';
