import { type JobKind, type JobStanding, type JobWatches, jobKinds } from '../route/job.ts';
import { recallInTab, rememberInTab } from './storage.ts';

/**
 * Long work, in one shape whatever it is: it is watched from the top of every page, goes on while pages change, is found
 * again after a reload (by its id, which is all that is remembered), and stays until it was seen.
 */

export interface Job extends JobStanding {
  readonly id: string;
  readonly kind: JobKind;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Address of the result or of the page that shows more. */
  readonly open: string | null;
  /** False until it was looked at after its end. */
  readonly seen: boolean;
}

export interface Tray {
  readonly jobs: () => readonly Job[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Begins to watch work that the server does under this id, unless it is watched already. */
  readonly watch: (job: Pick<Job, 'id' | 'kind' | 'title' | 'open'>) => void;
  /** Work that this page does itself: it reports how it stands, and a reload ends it. */
  readonly report: (job: Pick<Job, 'id' | 'kind' | 'title' | 'open'> & JobStanding, cancel?: () => void) => void;
  readonly cancel: (id: string) => Promise<void>;
  readonly canCancel: (job: Job) => boolean;
  /** Those that have ended were looked at and may go. */
  readonly clear: () => void;
  /** Goes on with what was under way before a reload. */
  readonly resume: () => void;
}

export interface TraySurroundings {
  readonly watches: JobWatches;
  readonly now: () => number;
  readonly isSeen: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Waits between two questions, in milliseconds. */
export const jobWait = (seen: boolean, asked: number): number => (seen ? (asked < 5 ? 1_000 : 2_000) : 10_000);
/** Questions in a row that may fail before the work counts as lost from sight. */
const mostFailures = 10;

/** The tray of a page. */
export function createTray({ watches, now, isSeen, sleep }: TraySurroundings): Tray {
  let jobs: readonly Job[] = [];
  const listeners = new Set<() => void>();
  const stops = new Map<string, () => void>();
  const cancellable = new Set<string>();

  const set = (next: readonly Job[]): void => {
    jobs = next;
    // Work that this page does itself ends with it, so its id would lead nowhere after a reload.
    const kept = jobs.filter(({ id }) => !stops.has(id));
    rememberInTab('jobs', kept.length === 0 ? undefined : kept);
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
    for (let asked = 0; jobs.some(({ id }) => id === job.id); asked += 1) {
      try {
        const standing = await watch.ask(job.id, new AbortController().signal);
        failures = 0;
        change(job.id, standing);
        if (standing.state !== 'running') return;
      } catch {
        failures += 1;
        if (failures >= mostFailures) return change(job.id, { state: 'failed' });
      }
      await sleep(jobWait(isSeen(), asked));
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
      const begun: Job = { ...job, state: 'running', startedAt: now(), seen: false };
      put(begun);
      void follow(begun);
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

/** What was remembered may be of an older version of the console. */
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
