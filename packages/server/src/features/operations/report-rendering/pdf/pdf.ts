import { inTurns, takeTurns } from '../../../../platform/turns.ts';
import { clipped } from '../charts/chart-drawing.ts';
import { type ShownSection, shownSection } from '../display.ts';
import { groupsAsColumns } from '../group-columns.ts';
import type { ReportDocument } from '../report-document.ts';
import { oneLine } from '../safe-text.ts';
import { loadGlyphs } from './font-slices.ts';
import { charactersOf } from './pdf-characters.ts';
import { createPdfFile, type PdfFile, pdfDate, pdfNumber, pdfText, type Reference } from './pdf-file.ts';
import { type Bookmark, type PdfPage, textColors } from './pdf-flow.ts';
import { createPdfFont } from './pdf-font.ts';
import { layOut } from './pdf-layout.ts';
import { createPen, type Fonts, type TextStyle } from './pdf-pen.ts';

/** Name of the report on the left, number of the page on the right. */
function footOf({ width, height }: PdfPage, text: string, place: string, fonts: Fonts): string {
  const pen = createPen(height, fonts);
  const style: TextStyle = { font: 'regular', size: 8, color: textColors.soft };
  const name = clipped(text, width - 160, (part) => fonts.regular.width(part) * style.size);
  const y = height - 30;
  pen.rule([48, y - 13], [width - 48, y - 13], textColors.line, 0.5);
  pen.text(48, y, name, style);
  pen.text(width - 48 - fonts.regular.width(place) * style.size, y, place, style);
  return pen.content();
}

function* showAll({ sections, timezone }: ReportDocument): Generator<void, readonly ShownSection[]> {
  const shown: ShownSection[] = [];
  for (const section of sections) shown.push(yield* shownSection(groupsAsColumns(section), timezone));
  return shown;
}

/**
 * Renders the report as PDF with its fonts, charts as paths, and bookmarks. Equal documents give equal bytes: the
 * file's dates are the document's. Long work yields.
 */
export async function renderPdf(document: ReportDocument): Promise<Buffer> {
  const turns = takeTurns();
  const sections = await inTurns(showAll(document), turns);
  const { regular, bold } = await inTurns(charactersOf(document, sections), turns);
  const fonts: Fonts = {
    regular: createPdfFont('ARBITA+ReportSans-Regular', await loadGlyphs(regular, 'regular', turns)),
    bold: createPdfFont('ARBITB+ReportSans-Bold', await loadGlyphs(bold, 'bold', turns)),
  };
  const { pages, bookmarks } = await inTurns(layOut(document, sections, fonts), turns);

  const file = createPdfFile();
  const tree = file.reserve();
  const fontsRef = file.reserve();
  const name = oneLine(document.name);
  const tenant = oneLine(document.tenantName);
  const pageRefs: Reference[] = [];
  for (const [at, page] of pages.entries()) {
    const foot = footOf(page, `${name} · ${tenant}`, `${at + 1} / ${pages.length}`, fonts);
    const content = await file.writeStream(Buffer.from(`${page.pen.content()}\n${foot}`, 'latin1'));
    const size = `${pdfNumber(page.width)} ${pdfNumber(page.height)}`;
    const entries = `/MediaBox[0 0 ${size}]/Contents ${content}/Resources<</Font ${fontsRef}>>`;
    pageRefs.push(file.write(`<</Type/Page/Parent ${tree}${entries}>>`));
    await turns();
  }
  const regularRef = await fonts.regular.embed(file);
  const boldRef = await fonts.bold.embed(file);
  file.write(`<</R ${regularRef}/B ${boldRef}>>`, fontsRef);
  file.write(`<</Type/Pages/Count ${pages.length}/Kids[${pageRefs.join(' ')}]>>`, tree);
  const outlines = writeBookmarks(file, bookmarks, pages, pageRefs);
  const catalog = file.write(
    `<</Type/Catalog/Pages ${tree}/Outlines ${outlines}/Lang(en)/ViewerPreferences<</DisplayDocTitle true>>>>`,
  );
  const createdAt = pdfDate(document.generatedAt);
  const info = file.write(
    `<</Title ${pdfText(name)}/Author ${pdfText(tenant)}/Producer(Arbiter)/CreationDate ${createdAt}/ModDate ${createdAt}>>`,
  );
  return file.finish(catalog, info);
}

/** Writes the list of sections that viewers show next to the pages. */
function writeBookmarks(
  file: PdfFile,
  bookmarks: readonly Bookmark[],
  pages: readonly PdfPage[],
  pageRefs: readonly Reference[],
): Reference {
  const list = file.reserve();
  const items = bookmarks.map(() => file.reserve());
  bookmarks.forEach(({ title, page, y }, at) => {
    const previous = at > 0 ? `/Prev ${items[at - 1]}` : '';
    const next = at < items.length - 1 ? `/Next ${items[at + 1]}` : '';
    const top = pdfNumber((pages[page]?.height ?? 0) - y + 8);
    const place = `/Dest[${pageRefs[page]}/XYZ null ${top} null]`;
    file.write(`<</Title ${pdfText(title)}/Parent ${list}${previous}${next}${place}>>`, items[at]);
  });
  return file.write(`<</Type/Outlines/Count ${items.length}/First ${items[0]}/Last ${items.at(-1)}>>`, list);
}
