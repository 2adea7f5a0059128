import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database, Tx, Written } from '../../db/index.ts';
import type { TenantMetric } from '../../features/deciding/decisions/index.ts';
import { countFailedExports } from '../../features/operations/exports/index.ts';
import { countAllDeadLetters, countJobs } from '../../jobs/index.ts';
import { AppError } from '../../platform/app-error.ts';

/** What the process itself reports besides HTTP and decisions (docs/design/api-access.md 19). */
export interface ProcessMetrics {
  jobDone(task: string, result: 'ok' | 'failed', seconds: number): void;
  /** A run of a scheduled job was put into the queue. */
  runClaimed(job: string): void;
  /** A schedule could not be read and was turned off. */
  runFailed(job: string): void;
}

/** A scrape waits so long for each count of jobs at most; without an answer the last figures stay. */
const queueWithinMs = 1_000;

export function createProcessMetrics(
  registry: Registry,
  database: Pick<Database, 'connections' | 'withSystem'>,
): ProcessMetrics {
  addQueueGauges(registry, database);
  addPoolGauge(registry, database);
  const registers = [registry];
  const jobs = new Counter({
    name: 'svc_jobs_total',
    help: 'Attempts of background jobs.',
    labelNames: ['task', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'svc_job_seconds',
    help: 'Duration of one attempt of a background job.',
    labelNames: ['task'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 25, 125],
    registers,
  });
  const runs = new Counter({
    name: 'svc_scheduler_runs_total',
    help: 'Runs of scheduled jobs that this process queued (ok), and schedules it had to disable (failed).',
    labelNames: ['job', 'result'],
    registers,
  });
  return {
    runClaimed: (job) => runs.inc({ job, result: 'ok' }),
    runFailed: (job) => runs.inc({ job, result: 'failed' }),
    jobDone(task, result, took) {
      jobs.inc({ task, result });
      seconds.observe({ task }, took);
    },
  };
}

/** Gauges that are read from the database at each scrape, for the whole installation. */
function addQueueGauges(registry: Registry, database: Pick<Database, 'withSystem'>): void {
  const count = <T>(read: (tx: Tx) => Promise<T>): Promise<T | null> =>
    whileThere(database.withSystem('metrics', read, { until: performance.now() + queueWithinMs }));
  const shared = { aggregator: 'max' as const, registers: [registry] };
  new Gauge({
    ...shared,
    name: 'svc_queue_depth',
    help: 'Waiting and running jobs of the whole installation.',
    labelNames: ['task'],
    async collect() {
      const depths = await count(countJobs);
      this.reset();
      for (const { task, jobs } of depths ?? []) this.set({ task }, jobs);
    },
  });
  new Gauge({
    ...shared,
    name: 'svc_dlq_depth',
    help: 'Dead letters of the whole installation: jobs that used up their attempts.',
    labelNames: ['topic'],
    async collect() {
      const counts = await count(countAllDeadLetters);
      this.reset();
      for (const [topic, letters] of Object.entries(counts ?? {})) this.set({ topic }, letters);
    },
  });
  new Gauge({
    ...shared,
    name: 'svc_exports_failed',
    help: 'Tenants whose last export of interaction history failed, by error. The next export tries again.',
    labelNames: ['error'],
    async collect() {
      const failed = await count(countFailedExports);
      this.reset();
      for (const { error, tenants } of failed ?? []) this.set({ error }, tenants);
    },
  });
}

function addPoolGauge(registry: Registry, database: Pick<Database, 'connections'>): void {
  new Gauge({
    name: 'svc_db_pool_connections',
    help: 'Connections in the pool, and callers waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = database.connections();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

/** Counts what transactions have written (`DatabaseOptions.onWritten`). */
export function createWriteMetrics(registry: Registry): (what: Written, count: number) => void {
  const auditRows = new Counter({
    name: 'svc_audit_rows_total',
    help: 'Audit rows written by this process.',
    registers: [registry],
  });
  const counters: Readonly<Record<Written, Counter>> = { audit_rows: auditRows };
  return (what, count) => counters[what].inc(count);
}

/** Counts messages to destinations (docs/design/api-access.md 19). */
export function createNotificationMetrics(registry: Registry): (kind: string, result: string) => void {
  const sent = new Counter({
    name: 'svc_notifications_total',
    help: 'Messages sent to destinations, by result.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  return (kind, result) => sent.inc({ kind, result });
}

/** Returns a function that counts offers for which the policy compiler contradicted itself. */
export function createCheckMetrics(registry: Registry): (offers: number) => void {
  const contradictions = new Counter({
    name: 'svc_check_contradictions_total',
    help: 'Offers that a generated customer got although a check had proved that nobody can.',
    registers: [registry],
  });
  return (offers) => contradictions.inc(offers);
}

/** Counts deliveries by the status they take (docs/design/api-access.md 19). */
export function createDeliveryMetrics(registry: Registry): (status: string) => void {
  const deliveries = new Counter({
    name: 'svc_deliveries_total',
    help: 'Messages to customers, by the status they took.',
    labelNames: ['status'],
    registers: [registry],
  });
  return (status) => deliveries.inc({ status });
}

/** Counts and times trainings of models by outcome and type. */
export function createTrainingMetrics(
  registry: Registry,
): (outcome: string, modelType: string, seconds: number) => void {
  const registers = [registry];
  const trainings = new Counter({
    name: 'svc_model_trainings_total',
    help: 'Trainings of models, by outcome and model type.',
    labelNames: ['outcome', 'modelType'],
    registers,
  });
  const duration = new Histogram({
    name: 'svc_model_training_seconds',
    help: 'Duration of trainings, with reading their rows.',
    labelNames: ['modelType'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800],
    registers,
  });
  return (outcome, modelType, seconds) => {
    trainings.inc({ outcome, modelType });
    duration.observe({ modelType }, seconds);
  };
}

/** Counts studies that ended, also by tenant. */
export interface StudyMetrics {
  readonly onStudyEnded: (tenantId: string, kind: string, outcome: string) => void;
  byTenant(): TenantMetric[];
}

export function createStudyMetrics(registry: Registry): StudyMetrics {
  const name = 'svc_studies_total';
  const help = 'Studies that ended, by kind and outcome.';
  const total = new Counter({ name, help, labelNames: ['kind', 'outcome'], registers: [registry] });
  const counts = new Map<string, { readonly labels: Record<string, string>; value: number }>();
  return {
    onStudyEnded(tenant, kind, outcome) {
      total.inc({ kind, outcome });
      const key = `${tenant} ${kind} ${outcome}`;
      const count = counts.get(key) ?? { labels: { tenant, kind, outcome }, value: 0 };
      count.value += 1;
      counts.set(key, count);
    },
    byTenant: () => (counts.size === 0 ? [] : [{ name, help, type: 'counter', values: [...counts.values()] }]),
  };
}

/** Counts what is archived, by kind. */
export function createArchiveMetrics(registry: Registry): (kind: string, rows: number, bytes: number) => void {
  const labelNames = ['kind'];
  const registers = [registry];
  const rowsTotal = new Counter({
    name: 'svc_archived_rows_total',
    help: 'Rows of history archived, by kind.',
    ...{ labelNames, registers },
  });
  const bytesTotal = new Counter({
    name: 'svc_archived_bytes_total',
    help: 'Bytes of archive files written, by kind.',
    ...{ labelNames, registers },
  });
  return (kind, rows, bytes) => {
    rowsTotal.inc({ kind }, rows);
    bytesTotal.inc({ kind }, bytes);
  };
}

/** Counts firings of triggers. */
export function createTriggerMetrics(registry: Registry): (actionType: string) => void {
  const fired = new Counter({
    name: 'svc_triggers_fired_total',
    help: 'Firings of triggers, by action.',
    labelNames: ['actionType'],
    registers: [registry],
  });
  return (actionType) => fired.inc({ actionType });
}

/** Counts and times tests of connectors. */
export function createConnectorMetrics(registry: Registry): (type: string, result: string, seconds: number) => void {
  const tests = new Counter({
    name: 'svc_connector_tests_total',
    help: 'Tests of connectors, by type and reason.',
    labelNames: ['type', 'result'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'svc_connector_test_seconds',
    help: 'Duration of tests of connectors, by type.',
    labelNames: ['type'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  return (type, result, seconds) => {
    tests.inc({ type, result });
    duration.observe({ type }, seconds);
  };
}

type Cache = 'credentials' | 'catalogues';

/** Counts cache lookups and hits. */
export function createCacheMetrics(registry: Registry): (cache: Cache) => (known: boolean) => void {
  const requests = new Counter({
    name: 'svc_cache_requests_total',
    help: "Lookups in this process's caches.",
    labelNames: ['cache', 'result'],
    registers: [registry],
  });
  return (cache) => {
    const hits = requests.labels(cache, 'hit');
    const misses = requests.labels(cache, 'miss');
    return (known) => (known ? hits : misses).inc();
  };
}

/**
 * Returns the result of a database query; null while the database is away, because a missing figure beats an old one.
 */
async function whileThere<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return null;
    throw error;
  }
}
