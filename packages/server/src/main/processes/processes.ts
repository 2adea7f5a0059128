import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { createNodeMetrics } from '../node-metrics.ts';
import type { Place } from '../place.ts';
import { shownMetrics, summaryOf } from '../tenant-metrics.ts';
import { rescueConnections } from './connections-handed-over.ts';
import { createQuestions, type FromProcess, type ToProcess } from './process-messages.ts';
import { afterEnd, type Lives, noLives } from './restarts.ts';
import type { WorkChecks, WorkFacts } from './server-process.ts';

/** Several server processes behind one port (docs/adr/0018), started and watched by this one. */
export interface Processes {
  /** Why there will be no more processes: one ended again and again. Resolves at most once. */
  readonly failed: Promise<string>;
  /** Stops all of them at once, each as a single server stops. */
  stop(): Promise<void>;
}

export interface ProcessesOptions {
  /** Includes its secrets. */
  readonly config: Config;
  readonly place: Place;
  readonly logger: Logger;
}

/** One slot for a process, and the process in it. */
interface Seat {
  readonly name: string;
  worker: Worker | null;
  /** Monotonic ms at which it opened the port; null = not yet. */
  listensSince: number | null;
  lives: Lives;
  /** The reason the process gave for its failure. */
  complaint: string | null;
}

const program = fileURLToPath(new URL('./process-entry.ts', import.meta.url));

/** A process too busy to report its metrics counts with its last report. */
const tellWithinMs = 2_000;
/** Beyond the time that each process has for its own stop. */
const killMarginMs = 2_000;

/** Starts the processes. Resolves when all of them take requests. Throws when one couldn't start. */
export async function startProcesses({ config, place, logger }: ProcessesOptions): Promise<Processes> {
  // The primary takes each new connection and passes it to the next free process in turn.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: program, args: [] });
  let work: WorkFacts = { holder: newId(), endedWorker: null };
  const seats = Array.from({ length: config.PROCESSES }, (_, i) => emptySeat(String(i + 1)));
  const metrics = createNodeMetrics(() => process.memoryUsage.rss());
  const told = createQuestions<true>();
  const works = createQuestions<WorkChecks>();
  const failed = Promise.withResolvers<string>();
  /** The step of the start that each process is at. */
  const steps = new Map<Seat, PromiseWithResolvers<void>>();
  const cannotStart = Promise.withResolvers<never>();
  cannotStart.promise.catch(() => undefined);
  const pauses = new Set<NodeJS.Timeout>();
  /** The process that does the background work. */
  let working: Seat | null = null;
  let phase: 'starting' | 'running' | 'stopping' = 'starting';

  const say = (seat: Seat, message: ToProcess): void => {
    if (seat.worker?.isConnected() === true) seat.worker.send(message);
  };
  const listening = (): readonly Seat[] => seats.filter(({ worker, listensSince }) => worker && listensSince !== null);

  function launch(seat: Seat): void {
    const worker = cluster.fork();
    Object.assign(seat, { worker, listensSince: null, complaint: null });
    rescueConnections(worker, () => listening().some((other) => other !== seat));
    worker.on('message', (message: FromProcess) => hear(seat, worker, message));
    worker.once('exit', (code, signal) => ended(seat, worker, signal ?? code));
    // A channel that breaks under a word belongs to a process that ends; its end is heard of above.
    worker.on('error', (err) => logger.warn({ err, name: seat.name }, "a server process can't be reached"));
  }

  function hear(seat: Seat, worker: Worker, message: FromProcess): void {
    if (seat.worker !== worker) return;
    switch (message.kind) {
      case 'loaded':
        if (phase !== 'stopping') working ??= seat;
        say(seat, { kind: 'start', config, place, name: seat.name, work: working === seat ? work : null });
        break;
      case 'prepared':
        steps.get(seat)?.resolve();
        // At the first start, all of them wait until the last is ready.
        if (phase === 'running') say(seat, { kind: 'listen' });
        break;
      case 'listening':
        // Kept-alive connections stay where they are: without this the newcomer would wait for new clients.
        if (phase === 'running') for (const other of listening()) say(other, { kind: 'spread' });
        seat.listensSince = performance.now();
        logger.info({ name: seat.name, pid: worker.process.pid }, 'server process ready');
        steps.get(seat)?.resolve();
        break;
      case 'failed':
        seat.complaint = message.message;
        break;
      case 'metrics':
        metrics.told(seat.name, message.metrics);
        told.answer(message.id, true);
        break;
      case 'ended':
        metrics.told(seat.name, message.metrics);
        break;
      case 'worker':
        work = { ...work, endedWorker: message.name };
        break;
      case 'work':
        works.answer(message.id, message.checks);
        break;
      case 'ask-metrics':
        metricsText().then((value) => say(seat, { kind: 'answer', id: message.id, value }), complain);
        break;
      case 'ask-summary':
        summaryText(message.tenantId).then((value) => say(seat, { kind: 'answer', id: message.id, value }), complain);
        break;
      case 'ask-work':
        workChecks().then((value) => say(seat, { kind: 'answer', id: message.id, value }), complain);
    }
  }
  const complain = (err: unknown): void => logger.error({ err }, 'server process got no response');

  async function askAll(): Promise<void> {
    await Promise.all(
      listening().map((seat) => told.ask((id) => say(seat, { kind: 'tell-metrics', id }), tellWithinMs)),
    );
  }

  async function metricsText(): Promise<string> {
    await askAll();
    return metrics.text((all) => shownMetrics(all, config.METRICS_TENANT_LABEL));
  }

  async function summaryText(tenantId: string): Promise<string> {
    await askAll();
    return JSON.stringify(summaryOf(await metrics.read(), tenantId));
  }

  async function workChecks(): Promise<WorkChecks | null> {
    if (!config.WORKER && working === null) return { queueConsumer: 'off', scheduler: 'off' };
    const seat = working;
    return seat === null ? null : works.ask((id) => say(seat, { kind: 'tell-work', id }), tellWithinMs);
  }

  function ended(seat: Seat, worker: Worker, how: string | number): void {
    if (seat.worker !== worker) return;
    const livedMs = seat.listensSince === null ? null : performance.now() - seat.listensSince;
    seat.worker = null;
    seat.listensSince = null;
    metrics.ended(seat.name);
    if (working === seat) working = null;
    if (phase === 'stopping') return;
    const why = `server process ${seat.name} exited (${how})${seat.complaint === null ? '' : `: ${seat.complaint}`}`;
    if (phase === 'starting') {
      cannotStart.reject(new Error(why));
      return;
    }
    const next = afterEnd(seat.lives, livedMs);
    seat.lives = next.lives;
    if (next.pauseMs === null) {
      failed.resolve(`${why}; it exited shortly after starting ${seat.lives.earlyEnds} times in a row`);
      return;
    }
    logger.error({ name: seat.name, pid: worker.process.pid, livedMs, pauseMs: next.pauseMs }, why);
    handOver();
    const timer = setTimeout(() => {
      pauses.delete(timer);
      metrics.restarted();
      launch(seat);
    }, next.pauseMs);
    pauses.add(timer);
  }

  /** Moves the background work to a running process, or to the first one that starts. */
  function handOver(): void {
    if (working !== null) return;
    working = listening()[0] ?? null;
    if (working !== null) say(working, { kind: 'take-over', work });
  }

  async function stop(): Promise<void> {
    phase = 'stopping';
    for (const timer of pauses) clearTimeout(timer);
    const ends = seats.flatMap(({ worker }) =>
      worker === null ? [] : [new Promise<void>((resolve) => worker.once('exit', () => resolve()))],
    );
    for (const seat of seats) say(seat, { kind: 'stop' });
    const inTime = new AbortController();
    const killLate = sleep(config.SHUTDOWN_GRACE_SECONDS * 1000 + killMarginMs, undefined, { signal: inTime.signal });
    killLate.then(
      () => {
        for (const { worker } of seats) worker?.process.kill('SIGKILL');
      },
      () => undefined,
    );
    await Promise.all(ends);
    inTime.abort();
  }

  /** Has every process do the next step of the start, and waits for all of them. */
  async function all(step: (seat: Seat) => void): Promise<void> {
    for (const seat of seats) steps.set(seat, Promise.withResolvers());
    for (const seat of seats) step(seat);
    await Promise.race([Promise.all([...steps.values()].map(({ promise }) => promise)), cannotStart.promise]);
  }

  let stopping: Promise<void> | null = null;
  const stopOnce = (): Promise<void> => {
    stopping ??= stop();
    return stopping;
  };
  try {
    await all(launch);
    await all((seat) => say(seat, { kind: 'listen' }));
  } catch (error) {
    await stopOnce();
    throw error;
  }
  phase = 'running';
  return { failed: failed.promise, stop: stopOnce };
}

function emptySeat(name: string): Seat {
  return { name, worker: null, listensSince: null, lives: noLives, complaint: null };
}
