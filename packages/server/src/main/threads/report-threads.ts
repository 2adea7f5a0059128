import type { Artifact, RenderReport } from '../../features/operations/report-rendering/index.ts';
import type { FromReportThread, ToReportThread } from './report-thread.ts';
import { createThreadQueue } from './thread-queue.ts';

/** Reports that may wait in one process. */
const maxWaiting = 16;
/** A report of 20 sections of 5,000 rows takes half a minute on a busy machine. Longer than this means it hangs. */
const hangsAfterMs = 180_000;
/** The thread ends after this idle time and frees the memory of its fonts. */
const idleMs = 60_000;
/** A limit of its own, so that a report that needs too much ends the thread and not the server. */
const maxMemoryMb = 512;

export interface ReportThread {
  readonly render: RenderReport;
  /** Refuses what waits and ends the thread. */
  close(): Promise<void>;
}

/**
 * Creates a thread that renders reports one after another. A large one takes seconds of computing, which would block
 * every request of the process (docs/adr/0059). The first report starts the thread, and a minute without reports ends it.
 */
export function createReportThread(onError: (error: unknown) => void, limits = { hangsAfterMs, idleMs }): ReportThread {
  const queue = createThreadQueue<Omit<ToReportThread, 'id'>, FromReportThread, readonly Artifact[]>({
    program: new URL('./report-thread.ts', import.meta.url),
    maxWaiting,
    ...limits,
    maxMemoryMb,
    resultOf: artifactsOf,
    lossOf: (failure) =>
      failure === null
        ? new Error('the thread that rendered the report exited')
        : new Error('the thread that rendered the report failed', failure),
    onError,
  });
  return { render: (document, formats) => queue.run({ document, formats }), close: queue.close };
}

function artifactsOf(message: FromReportThread): readonly Artifact[] {
  if (message.kind === 'failed') throw new Error(`report rendering failed: ${message.message}`);
  return message.artifacts.map(({ content, ...artifact }) => ({
    ...artifact,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  }));
}
