import { colors } from '../colors.ts';
import { linesOf } from '../text-lines.ts';
import { createPen, type Fonts, type Pen, type TextStyle } from './pdf-pen.ts';

/** A4 in points, and what stays free around the text. */
const short = 595.28;
const long = 841.89;
const margin = 48;
const footRoom = 60;

export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly pen: Pen;
}

export interface Bookmark {
  readonly title: string;
  /** Number of this page; `pages` is the total. */
  readonly page: number;
  readonly y: number;
}

interface Setting {
  /** Line height. */
  readonly leading?: number;
  readonly indent?: number;
  /** Stands to the left of the first line, where the text is indented. */
  readonly mark?: string;
}

/** Position of the next element: down the page, and on to the next page. */
export interface Flow {
  readonly fonts: Fonts;
  readonly pages: readonly PdfPage[];
  readonly bookmarks: readonly Bookmark[];
  readonly left: number;
  /** Width of the text. */
  readonly width: number;
  /** The same of standing and of lying (wide) pages. */
  widthOf(isWide: boolean): number;
  /** Height of a full page's text. */
  readonly height: number;
  readonly pen: Pen;
  /** Distance from the top of the page. */
  y: number;
  /** Height left on the page. */
  readonly room: number;
  /** Begins a page where less than `height` is left of this one. */
  need(height: number): void;
  /** Switches to landscape (`isWide`) or portrait for the following pages. */
  turn(isWide: boolean): void;
  newPage(): void;
  bookmark(title: string): void;
  /** True if nothing is above on this page. */
  readonly isAtTop: boolean;
  linesIn(text: string, style: TextStyle, width: number): string[];
  /** Text in lines, across pages; `y` is below it then. */
  write(text: string, style: TextStyle, more?: Setting): void;
}

export const textColors = colors.light;

export function createFlow(fonts: Fonts): Flow {
  const pages: PdfPage[] = [];
  const bookmarks: Bookmark[] = [];
  let isWide = false;
  let y = 0;
  let pen = createPen(0, fonts);
  const pageHeight = (): number => (isWide ? short : long);
  const widthOf = (wide: boolean): number => (wide ? long : short) - 2 * margin;

  function newPage(): void {
    pen = createPen(pageHeight(), fonts);
    pages.push({ width: isWide ? long : short, height: pageHeight(), pen });
    y = margin;
  }
  const linesIn = (text: string, { font, size }: TextStyle, within: number): string[] =>
    linesOf(text, within / size, (part) => fonts[font].width(part));
  const room = (): number => pageHeight() - footRoom - y;

  const flow: Flow = {
    fonts,
    pages,
    bookmarks,
    left: margin,
    get width() {
      return widthOf(isWide);
    },
    widthOf,
    get height() {
      return pageHeight() - footRoom - margin;
    },
    get pen() {
      return pen;
    },
    get y() {
      return y;
    },
    set y(value) {
      y = value;
    },
    get room() {
      return room();
    },
    need(height) {
      if (height > room() && y > margin) newPage();
    },
    turn(wide) {
      if (wide === isWide) return;
      isWide = wide;
      if (pen.content() === '') pages.pop();
      newPage();
    },
    newPage,
    get isAtTop() {
      return y === margin;
    },
    linesIn,
    bookmark(title) {
      bookmarks.push({ title, page: pages.length - 1, y });
    },
    write(text, style, { leading = style.size * 1.45, indent = 0, mark = '' } = {}) {
      // Center letters in their line: a fifth of their size is below the baseline.
      const rise = (leading - style.size) / 2 + style.size * 0.22;
      for (const [at, line] of linesIn(text, style, widthOf(isWide) - indent).entries()) {
        flow.need(leading);
        y += leading;
        pen.text(margin + indent, y - rise, line, style);
        if (at === 0) pen.text(margin + 2, y - rise, mark, style);
      }
    },
  };
  newPage();
  return flow;
}
