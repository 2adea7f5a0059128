import { takeTurns } from '../../../platform/turns.ts';
import { csvPieces } from './csv.ts';
import { fileNameOf } from './file-name.ts';
import { htmlPieces } from './html.ts';
import { markdownPieces } from './markdown.ts';
import type { Artifact, ReportDocument, ReportFormat } from './report-document.ts';

interface Renderer {
  readonly mimeType: string;
  render(document: ReportDocument): Promise<Buffer>;
}

const text =
  (pieces: (document: ReportDocument) => Generator<string>) =>
  async (document: ReportDocument): Promise<Buffer> => {
    const turns = takeTurns();
    const parts: string[] = [];
    for (const piece of pieces(document)) {
      parts.push(piece);
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    return Buffer.from(parts.join(''));
  };

/**
 * Loaded with the first PDF: the font library and its WOFF2 decoder take 20 MB, which the server's main thread never
 * needs.
 */
const pdf = async (document: ReportDocument): Promise<Buffer> => (await import('./pdf/pdf.ts')).renderPdf(document);

const renderers: Readonly<Record<ReportFormat, Renderer>> = {
  html: { mimeType: 'text/html; charset=utf-8', render: text(htmlPieces) },
  pdf: { mimeType: 'application/pdf', render: pdf },
  csv: { mimeType: 'text/csv; charset=utf-8', render: text(csvPieces) },
  markdown: { mimeType: 'text/markdown; charset=utf-8', render: text(markdownPieces) },
};

/** `renderReport`, or a thread that calls it. */
export type RenderReport = (document: ReportDocument, formats: readonly ReportFormat[]) => Promise<readonly Artifact[]>;

/**
 * Renders the report as files, one per format, in order. Equal documents give equal bytes. Whatever names and
 * cells contain is plain text in the files.
 */
export async function renderReport(
  document: ReportDocument,
  formats: readonly ReportFormat[],
): Promise<readonly Artifact[]> {
  const artifacts: Artifact[] = [];
  for (const format of formats) {
    const { mimeType, render } = renderers[format];
    artifacts.push({ format, mimeType, fileName: fileNameOf(document, format), content: await render(document) });
  }
  return artifacts;
}
