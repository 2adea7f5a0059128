export { type EnqueueOptions, enqueueJob } from './enqueue.ts';
export { createWorker, type JobFacts, type TaskHandler, type Tasks, type Worker } from './worker.ts';
