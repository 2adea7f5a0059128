import { colours } from './colours.ts';
import { createPen, type Fonts, type Pen, type TextStyle } from './pdf-pen.ts';
import { linesOf } from './text-lines.ts';

/** A4 in points, and what stays free around the text. */
const short = 595.28;
const long = 841.89;
const margin = 48;
const footRoom = 60;

export interface Page {
  readonly width: number;
  readonly height: number;
  readonly pen: Pen;
}

export interface Bookmark {
  readonly title: string;
  /** Of `pages`. */
  readonly page: number;
  readonly y: number;
}

interface Setting {
  /** From line to line. */
  readonly leading?: number;
  readonly indent?: number;
  /** Stands to the left of the first line, where the text is indented. */
  readonly mark?: string;
}

/** Where the next thing is drawn: down the page, and on to the next one. */
export interface Flow {
  readonly fonts: Fonts;
  readonly pages: readonly Page[];
  readonly bookmarks: readonly Bookmark[];
  readonly left: number;
  /** Of the text. */
  readonly width: number;
  /** The same of standing and of lying (wide) pages. */
  widthOf(isWide: boolean): number;
  /** Of the text of a whole page. */
  readonly height: number;
  readonly pen: Pen;
  /** Distance from the top of the page. */
  y: number;
  /** What is left of the page. */
  readonly room: number;
  /** Begins a page where less than `height` is left of this one. */
  need(height: number): void;
  /** From here on pages lie (wide) or stand. */
  turn(isWide: boolean): void;
  newPage(): void;
  bookmark(title: string): void;
  /** Nothing stands above on this page. */
  readonly isAtTop: boolean;
  linesIn(text: string, style: TextStyle, width: number): string[];
  /** Text in lines, across pages; `y` is below it then. */
  write(text: string, style: TextStyle, more?: Setting): void;
}

export const textColours = colours.light;

export function createFlow(fonts: Fonts): Flow {
  const pages: Page[] = [];
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
      // Letters stand in the middle of their line: a fifth of their size hangs below.
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
