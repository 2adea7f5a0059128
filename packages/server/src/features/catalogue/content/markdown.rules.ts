import { type MarkedText, markTokens, partsOf, sourceOf } from './marked-text.rules.ts';
import { escapeHtml, type MarkupWriter } from './markup.rules.ts';

/** `**bold**`, `*italic*`, `[label](url)`. No alternative reads past its own delimiter, so parsing is linear. */
const inline = /\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^[\]]*)\]\(([^()\s]*)\)/g;

/** Receives formatted parts; literal text in between goes to `literal`. */
interface MarkdownTarget {
  literal(text: string): void;
  bold(inner: () => void): void;
  italic(inner: () => void): void;
  link(url: string, label: () => void): void;
}

/** Writes the Markdown subset of text blocks as HTML (docs/design/api-catalogue.md 3.2). */
export function writeMarkdownHtml(writer: MarkupWriter, source: string): void {
  const marked = markTokens(source);
  const wrapped = (tag: string) => (inner: () => void) => {
    writer.literal(`<${tag}>`);
    inner();
    writer.literal(`</${tag}>`);
  };
  read(marked, {
    literal: (text) => writeLiteral(writer, text, marked, (part) => escapeHtml(part).replace(/\r\n?|\n/g, '<br>')),
    bold: wrapped('strong'),
    italic: wrapped('em'),
    link(url, label) {
      writer.literal('<a');
      writer.url({ urls: [url], before: ' href="', after: '"' });
      writer.literal('>');
      label();
      writer.literal('</a>');
    },
  });
}

/** Writes the same as plain text: without asterisks, with links in parentheses after their labels. */
export function writeMarkdownText(writer: MarkupWriter, source: string): void {
  const marked = markTokens(source);
  read(marked, {
    literal: (text) => writeLiteral(writer, text, marked, (part) => part.replace(/\r\n?/g, '\n')),
    bold: (inner) => inner(),
    italic: (inner) => inner(),
    link(url, label) {
      label();
      writer.url({ urls: [url], before: ' (', after: ')' });
    },
  });
}

/** Writes text that has tokens but no Markdown. */
export function writeText(writer: MarkupWriter, source: string, target: 'html' | 'text'): void {
  const marked = markTokens(source);
  writeLiteral(writer, marked.text, marked, target === 'html' ? escapeHtml : (part) => part);
}

function writeLiteral(
  writer: MarkupWriter,
  text: string,
  { marked }: MarkedText,
  written: (text: string) => string,
): void {
  for (const part of partsOf(text, marked)) {
    if (typeof part === 'string') writer.literal(written(part));
    else writer.token(part);
  }
}

function read(marked: MarkedText, target: MarkdownTarget, text = marked.text): void {
  let end = 0;
  for (const match of text.matchAll(inline)) {
    const [whole, bold, italic, label, url] = match;
    target.literal(text.slice(end, match.index));
    end = match.index + whole.length;
    if (bold !== undefined) target.bold(() => read(marked, target, bold));
    else if (italic !== undefined) target.italic(() => read(marked, target, italic));
    else target.link(sourceOf(url ?? '', marked.marked), () => read(marked, target, label ?? ''));
  }
  target.literal(text.slice(end));
}
