import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '../db/index.ts';

/** What the process itself reports besides HTTP and decisions (api-access.md 19). */
export interface ProcessMetrics {
  jobDone(task: string, result: 'ok' | 'failed', seconds: number): void;
  /** A run of a scheduled job was put into the queue. */
  runClaimed(job: string): void;
}

export function createProcessMetrics(registry: Registry, database: Pick<Database, 'connections'>): ProcessMetrics {
  const registers = [registry];
  new Gauge({
    name: 'svc_db_pool_connections',
    help: 'Connections of the pool, and callers that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = database.connections();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  const jobs = new Counter({
    name: 'svc_jobs_total',
    help: 'Tries of background jobs.',
    labelNames: ['task', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'svc_job_seconds',
    help: 'Time of one try of a background job.',
    labelNames: ['task'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 25, 125],
    registers,
  });
  const runs = new Counter({
    name: 'svc_scheduler_runs_total',
    help: 'Runs of scheduled jobs that this process put into the queue.',
    labelNames: ['job'],
    registers,
  });
  return {
    runClaimed: (job) => runs.inc({ job }),
    jobDone(task, result, took) {
      jobs.inc({ task, result });
      seconds.observe({ task }, took);
    },
  };
}
