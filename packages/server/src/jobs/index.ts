export { countJobs, type EnqueueOptions, enqueueJob } from './queue.store.ts';
export { createWorker, type JobFacts, type TaskHandler, type Tasks, type Worker } from './worker.ts';
