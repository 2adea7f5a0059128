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
 * Loaded with the first PDF: the library of fonts and its decoder of WOFF2 take 20 MB, which the server's own thread never
 * needs.
 */
const pdf = async (document: ReportDocument): Promise<Buffer> => (await import('./pdf.ts')).renderPdf(document);

const renderers: Readonly<Record<ReportFormat, Renderer>> = {
  html: { mimeType: 'text/html; charset=utf-8', render: text(htmlPieces) },
  pdf: { mimeType: 'application/pdf', render: pdf },
  csv: { mimeType: 'text/csv; charset=utf-8', render: text(csvPieces) },
  markdown: { mimeType: 'text/markdown; charset=utf-8', render: text(markdownPieces) },
};

/** `renderReport`, or what stands in for it: a thread that calls it. */
export type RenderReport = (document: ReportDocument, formats: readonly ReportFormat[]) => Promise<readonly Artifact[]>;

/**
 * The report as files, one for each format and in their order. Equal documents give equal bytes. Whatever names and cells
 * hold, it is text in the files and nothing else.
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
