// The program of a thread that renders reports (report-threads.ts). It holds fonts and nothing of a tenant.
import { isMainThread, parentPort } from 'node:worker_threads';
import {
  type Artifact,
  type ReportDocument,
  type ReportFormat,
  renderReport,
} from '../../features/operations/report-rendering/index.ts';

/** To the thread: a report to render. */
export interface ToReportThread {
  readonly id: number;
  readonly document: ReportDocument;
  readonly formats: readonly ReportFormat[];
}

export type FromReportThread =
  | { readonly id: number; readonly kind: 'rendered'; readonly artifacts: readonly SentArtifact[] }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string };

/** Between threads a Buffer becomes plain bytes. */
export type SentArtifact = Omit<Artifact, 'content'> & { readonly content: Uint8Array };

async function answer({ id, document, formats }: ToReportThread): Promise<FromReportThread> {
  try {
    return { id, kind: 'rendered', artifacts: await renderReport(document, formats) };
  } catch (error) {
    return { id, kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

if (!isMainThread) {
  parentPort?.on('message', async (message: ToReportThread) => parentPort?.postMessage(await answer(message)));
}
