import { type JobKind, type JobStanding, type JobWatches, jobKinds } from '../../route/job.ts';
import { recallInTab, rememberInTab } from '../storage.ts';

/**
 * Background jobs in one shape. They are visible on every page, continue across navigation and reloads (only their IDs are
 * stored), and stay until seen.
 */

export interface Job extends JobStanding {
  readonly id: string;
  readonly kind: JobKind;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Address of the result, or of a page with details. */
  readonly open: string | null;
  /** False until the user has seen the finished job. */
  readonly seen: boolean;
}

export interface Tray {
  readonly jobs: () => readonly Job[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Starts watching a server-side job, unless it's already watched. */
  readonly watch: (job: Pick<Job, 'id' | 'kind' | 'title' | 'open'>) => void;
  /** Work of this page: it reports its own progress, and a reload ends it. */
  readonly report: (job: Pick<Job, 'id' | 'kind' | 'title' | 'open'> & JobStanding, cancel?: () => void) => void;
  readonly cancel: (id: string) => Promise<void>;
  readonly canCancel: (job: Job) => boolean;
  /** Removes finished jobs that the user has seen. */
  readonly clear: () => void;
  /** Resumes watching jobs after a reload. */
  readonly resume: () => void;
}

export interface TraySurroundings {
  readonly watches: JobWatches;
  readonly now: () => number;
  readonly isSeen: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Polling intervals, in milliseconds. */
export const jobWait = (seen: boolean, polls: number): number => (seen ? (polls < 5 ? 1_000 : 2_000) : 10_000);
/** Failed polls in a row before a job counts as lost. */
const maxFailures = 10;

/** The tray of a page. */
export function createTray({ watches, now, isSeen, sleep }: TraySurroundings): Tray {
  let jobs: readonly Job[] = [];
  const listeners = new Set<() => void>();
  const stops = new Map<string, () => void>();
  const cancellable = new Set<string>();

  const set = (next: readonly Job[]): void => {
    jobs = next;
    // Work of this page ends with it, so its ID would be useless after a reload.
    const active = jobs.filter(({ id }) => !stops.has(id));
    rememberInTab('jobs', active.length === 0 ? undefined : active);
    for (const listener of listeners) listener();
  };
  const put = (job: Job): void => set([job, ...jobs.filter(({ id }) => id !== job.id)]);
  const change = (id: string, standing: JobStanding): void =>
    set(jobs.map((job) => (job.id === id ? { ...job, ...standing } : job)));

  const follow = async (job: Job): Promise<void> => {
    const load = watches[job.kind];
    if (load === undefined) return;
    const watch = await load();
    if (watch.cancel !== undefined) cancellable.add(job.id);
    let failures = 0;
    for (let polls = 0; jobs.some(({ id }) => id === job.id); polls += 1) {
      try {
        const standing = await watch.ask(job.id, new AbortController().signal);
        failures = 0;
        change(job.id, standing);
        if (standing.state !== 'running') return;
      } catch {
        failures += 1;
        if (failures >= maxFailures) return change(job.id, { state: 'failed' });
      }
      await sleep(jobWait(isSeen(), polls));
    }
  };

  return {
    jobs: () => jobs,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch: (job) => {
      if (jobs.some(({ id, state }) => id === job.id && state === 'running')) return;
      const runningJob: Job = { ...job, state: 'running', startedAt: now(), seen: false };
      put(runningJob);
      void follow(runningJob);
    },
    report: (job, cancel) => {
      const known = jobs.find(({ id }) => id === job.id);
      stops.set(job.id, cancel ?? (() => undefined));
      if (cancel !== undefined) cancellable.add(job.id);
      const next: Job = { ...job, startedAt: known?.startedAt ?? now(), seen: false };
      if (known === undefined) put(next);
      else set(jobs.map((each) => (each.id === job.id ? next : each)));
    },
    canCancel: ({ id, state }) => state === 'running' && cancellable.has(id),
    cancel: async (id) => {
      stops.get(id)?.();
      const job = jobs.find((each) => each.id === id);
      if (job === undefined || stops.has(id)) return;
      await (await watches[job.kind]?.())?.cancel?.(id);
    },
    clear: () => set(jobs.filter(({ state }) => state === 'running')),
    resume: () => {
      const remembered = recallInTab('jobs');
      const known = Array.isArray(remembered) ? remembered.filter(isJob) : [];
      set(known);
      for (const job of known) if (job.state === 'running') void follow(job);
    },
  };
}

/** Stored data may come from an older version of the console. */
function isJob(value: unknown): value is Job {
  if (typeof value !== 'object' || value === null) return false;
  const kind: unknown = Reflect.get(value, 'kind');
  return (
    typeof Reflect.get(value, 'id') === 'string' &&
    typeof Reflect.get(value, 'title') === 'string' &&
    typeof Reflect.get(value, 'startedAt') === 'number' &&
    jobKinds.some((each) => each === kind)
  );
}
