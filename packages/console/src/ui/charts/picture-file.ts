import { cutTo, paintOf } from './picture-paint.ts';

/**
 * Builds the SVG file of a chart: rectangles and texts where the browser put them, with the drawings inside. The file is
 * self-contained: it uses the colors of the current theme and has no classes, variables or links. It names common fonts, so
 * glyphs may differ from the page, but positions don't.
 */

const svgNames = 'http://www.w3.org/2000/svg';
const margin = 16;
const sans = "Inter, 'Liberation Sans', Arial, Helvetica, sans-serif";
const mono = "'JetBrains Mono', 'Liberation Mono', Consolas, monospace";
/** Vertical position of Inter's letters within a line of text: the ascent's part of ascent and descent. */
const baseline = 0.8;

type Attributes = Readonly<Record<string, string | number | null>>;
type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

interface Drawing {
  readonly into: Element;
  readonly origin: Pick<DOMRect, 'left' | 'top'>;
}

export interface PictureTexts {
  readonly title: string;
  /** One sentence for screen readers. */
  readonly summary: string;
  /** Writes the title above the picture. */
  readonly drawsTitle: boolean;
}

/** Room for a title, in px, and the size of its letters. */
const titleRoom = 28;
const titleSize = 14;

/** An SVG file of what `figure` shows, on its own background. */
export function pictureOf(figure: Element, { title, summary, drawsTitle }: PictureTexts): string {
  const { left, top, width, height } = figure.getBoundingClientRect();
  const above = drawsTitle ? titleRoom : 0;
  const [wide, high] = [Math.ceil(width) + 2 * margin, Math.ceil(height) + 2 * margin + above];
  const file = figure.ownerDocument.implementation.createDocument(svgNames, 'svg');
  const into = file.documentElement;
  set(into, { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, 'font-family': sans, role: 'img' });
  add(into, 'title', {}).textContent = title;
  add(into, 'desc', {}).textContent = summary;
  add(into, 'rect', { width: wide, height: high, fill: groundOf(figure) });
  if (drawsTitle) {
    const place = { x: margin, y: margin + titleSize, 'font-size': titleSize, 'font-weight': 600 };
    add(into, 'text', { ...place, fill: paintOf(getComputedStyle(figure).color).color }).textContent = title;
  }
  const origin = { left: left - margin, top: top - margin - above };
  drawElement(figure, { into, origin }, { left, top, right: left + width, bottom: top + height });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(file)}\n`;
}

/** The first opaque background below an element. */
function groundOf(element: Element): string {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const { color, opacity } = paintOf(getComputedStyle(at).backgroundColor);
    if (opacity === 1) return color;
  }
  return '#ffffff';
}

function add(into: Element, name: string, attributes: Attributes): Element {
  const element = into.ownerDocument.createElementNS(svgNames, name);
  set(element, attributes);
  into.append(element);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, String(value));
}

const round = (value: number): number => Math.round(value * 100) / 100;

function drawElement(element: Element, drawing: Drawing, clip: Box): void {
  const style = getComputedStyle(element);
  const isLeftOut = style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0';
  if (isLeftOut || element.getAttribute('data-picture') === 'none') return;
  if (element instanceof SVGSVGElement) {
    drawPicture(element, drawing);
    return;
  }
  const box = element.getBoundingClientRect();
  // Text for screen readers is clipped like this.
  if (style.clipPath.startsWith('inset(50%')) return;
  if (style.display !== 'contents') drawBox(box, style, drawing);
  const cuts = style.overflowX !== 'visible' && style.display !== 'contents';
  const inside = cuts ? { ...clip, left: Math.max(clip.left, box.left), right: Math.min(clip.right, box.right) } : clip;
  for (const child of element.childNodes) {
    if (child instanceof Text) drawText(child, style, drawing, inside);
    else if (child instanceof Element) drawElement(child, drawing, inside);
  }
}

function drawBox(box: DOMRect, style: CSSStyleDeclaration, { into, origin }: Drawing): void {
  const ground = paintOf(style.backgroundColor);
  const line = paintOf(style.borderTopColor);
  const lineWidth = style.borderTopStyle === 'none' ? 0 : Number.parseFloat(style.borderTopWidth);
  const isRound = lineWidth > 0 && line.opacity > 0 && Number.parseFloat(style.borderLeftWidth) > 0;
  const [x, y] = [box.left - origin.left, box.top - origin.top];
  if (ground.opacity > 0 || isRound) {
    const inset = isRound ? lineWidth / 2 : 0;
    add(into, 'rect', {
      x: round(x + inset),
      y: round(y + inset),
      width: round(Math.max(0, box.width - 2 * inset)),
      height: round(Math.max(0, box.height - 2 * inset)),
      rx: round(Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, box.height / 2)) || null,
      fill: ground.opacity > 0 ? ground.color : 'none',
      'fill-opacity': ground.opacity > 0 && ground.opacity < 1 ? ground.opacity : null,
      stroke: isRound ? line.color : null,
      'stroke-width': isRound ? lineWidth : null,
    });
  } else if (lineWidth > 0 && line.opacity > 0) {
    add(into, 'rect', { x: round(x), y: round(y), width: round(box.width), height: lineWidth, fill: line.color });
  }
}

/** A text, line by line as the browser broke it; what it cut at the end is cut here. */
function drawText(text: Text, style: CSSStyleDeclaration, { into, origin }: Drawing, clip: Box): void {
  const range = text.ownerDocument.createRange();
  const lines: { words: string; left: number; right: number; top: number; bottom: number }[] = [];
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const { left, right, top, bottom, width } = range.getBoundingClientRect();
    if (width === 0) continue;
    const last = lines.at(-1);
    if (last !== undefined && Math.abs(last.top - top) < 2) {
      last.words += ` ${word}`;
      last.right = right;
    } else {
      lines.push({ words: word, left, right, top, bottom });
    }
  }
  const anchor = { right: 'end', end: 'end', center: 'middle' }[style.textAlign] ?? null;
  for (const { words, left, right, top, bottom } of lines) {
    const shown = cutTo(words, clip.right - left, right - left);
    if (shown === '' || top < clip.top - 1 || bottom > clip.bottom + 1) continue;
    const x = anchor === 'end' ? right : anchor === 'middle' ? (left + right) / 2 : left;
    add(into, 'text', {
      x: round(x - origin.left),
      y: round(top + (bottom - top) * baseline - origin.top),
      'text-anchor': shown === words ? anchor : null,
      ...lengthOf(shown === words ? right - left : null),
      ...letters(style),
      fill: paintOf(style.color).color,
    }).textContent = shown;
  }
}

/** As wide as on the page, whatever font the viewer uses, so that texts don't overlap. */
const lengthOf = (width: number | null): Attributes =>
  width === null ? {} : { textLength: round(width), lengthAdjust: 'spacingAndGlyphs' };

const letters = (style: CSSStyleDeclaration): Attributes => ({
  'font-size': Number.parseFloat(style.fontSize),
  'font-weight': style.fontWeight === '400' ? null : style.fontWeight,
  'font-family': style.fontFamily.includes('Mono') ? mono : null,
});

const geometry = [
  'x',
  'y',
  'x1',
  'x2',
  'y1',
  'y2',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'width',
  'height',
  'd',
  'dx',
  'dy',
  'points',
  'transform',
];
const shapes = new Set(['g', 'a', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text']);

function drawPicture(picture: SVGSVGElement, { into, origin }: Drawing): void {
  const { left, top, width, height } = picture.getBoundingClientRect();
  const { baseVal } = picture.viewBox;
  const scale = baseVal.width > 0 && width > 0 ? width / baseVal.width : 1;
  if (width === 0 || height === 0) return;
  const place = `translate(${round(left - origin.left)} ${round(top - origin.top)})${scale === 1 ? '' : ` scale(${round(scale)})`}`;
  const group = add(into, 'g', { transform: place });
  for (const child of picture.children) drawPart(child, group);
}

/** A copy of a part of a drawing with its computed styles. A link becomes a group, because it leads nowhere from a file. */
function drawPart(part: Element, into: Element): void {
  const name = part.localName;
  if (name === 'title') {
    add(into, 'title', {}).textContent = part.textContent;
    return;
  }
  const style = getComputedStyle(part);
  if (!shapes.has(name) || style.display === 'none' || style.opacity === '0') return;
  const isGroup = name === 'g' || name === 'a';
  const [fill, stroke] = [paintOf(style.fill), paintOf(style.stroke)];
  // Controls that only serve interaction.
  if (!isGroup && fill.opacity === 0 && stroke.opacity === 0) return;
  const element = add(into, isGroup ? 'g' : name, {
    ...Object.fromEntries(geometry.map((each) => [each, part.getAttribute(each)])),
    opacity: style.opacity === '1' ? null : style.opacity,
  });
  if (isGroup) {
    for (const child of part.children) drawPart(child, element);
    return;
  }
  set(element, {
    fill: fill.opacity === 0 ? 'none' : fill.color,
    'fill-opacity': fill.opacity > 0 && fill.opacity < 1 ? fill.opacity : null,
  });
  if (stroke.opacity > 0) {
    set(element, {
      stroke: stroke.color,
      'stroke-opacity': stroke.opacity < 1 ? stroke.opacity : null,
      'stroke-width': Number.parseFloat(style.strokeWidth),
      'stroke-dasharray': style.strokeDasharray === 'none' ? null : style.strokeDasharray.replaceAll('px', ''),
      'stroke-linejoin': style.strokeLinejoin === 'miter' ? null : style.strokeLinejoin,
      'stroke-linecap': style.strokeLinecap === 'butt' ? null : style.strokeLinecap,
    });
  }
  if (name === 'text') {
    const width = part instanceof SVGTextElement ? part.getComputedTextLength() : null;
    set(element, {
      ...letters(style),
      ...lengthOf(width),
      'text-anchor': style.textAnchor === 'start' ? null : style.textAnchor,
    });
    element.textContent = part.textContent;
  }
}
