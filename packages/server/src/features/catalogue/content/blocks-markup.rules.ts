import type { StoredBlock } from '@arbiter/contract';
import { offerFields } from './blocks.rules.ts';
import { writeMarkdownHtml, writeMarkdownText, writeText } from './markdown.rules.ts';
import type { MarkupWriter } from './markup.rules.ts';
import { writeSanitizedHtml, writeTextOfHtml } from './sanitize.rules.ts';

/**
 * Renders blocks as HTML and as text (docs/design/api-catalogue.md 3.2). Markup comes only from this file. Author text
 * goes through `writeText` and the Markdown reader, which escape it, or through the sanitizer. Props of the wrong type,
 * possible in versions from another build, count as missing.
 */
interface Props {
  text(name: string): string;
  number(name: string): number | null;
  list(name: string): readonly unknown[];
  is(name: string, value: unknown): boolean;
}

function propsOf(block: StoredBlock): Props {
  const values = new Map(Object.entries(block.props ?? {}));
  return {
    text(name) {
      const value = values.get(name);
      return typeof value === 'string' ? value : '';
    },
    number(name) {
      const value = values.get(name);
      return typeof value === 'number' && Number.isFinite(value) ? value : null;
    },
    list(name) {
      const value = values.get(name);
      return Array.isArray(value) ? value : [];
    },
    is: (name, value) => values.get(name) === value,
  };
}

const alignments = ['left', 'center', 'right'];
const defaultHeight = 16;
const defaultFields: readonly string[] = ['name', 'shortDesc'];

type WriteBlock = (writer: MarkupWriter, props: Props, block: StoredBlock) => void;

const styled = (style: string): string => (style === '' ? '' : ` style="${style}"`);

function alignment(props: Props): string {
  const align = props.text('align');
  return styled(alignments.includes(align) ? `text-align: ${align}` : '');
}

const html: Readonly<Record<StoredBlock['type'], WriteBlock>> = {
  heading(writer, props) {
    const level = props.number('level') ?? 2;
    writer.literal(`<h${level}${alignment(props)}>`);
    writeText(writer, props.text('text'), 'html');
    writer.literal(`</h${level}>`);
  },
  text(writer, props) {
    writer.literal(`<p${alignment(props)}>`);
    writeMarkdownHtml(writer, props.text('text'));
    writer.literal('</p>');
  },
  image(writer, props) {
    const linkUrl = props.text('linkUrl');
    if (linkUrl !== '') link(writer, [linkUrl]);
    writer.literal('<img');
    writer.url({ urls: [props.text('imageUrl')], before: ' src="', after: '"' });
    writer.literal(' alt="');
    writeText(writer, props.text('alt'), 'html');
    const width = props.number('width');
    writer.literal(width === null ? '" />' : `" width="${width}" />`);
    if (linkUrl !== '') writer.literal('</a>');
  },
  button(writer, props) {
    link(writer, [props.text('url')], `class="button ${props.is('style', 'secondary') ? 'secondary' : 'primary'}"`);
    writeText(writer, props.text('text'), 'html');
    writer.literal('</a>');
  },
  divider(writer, props) {
    const height = props.number('height');
    writer.literal(`<hr${styled(height === null ? '' : `height: ${height}px`)} />`);
  },
  spacer(writer, props) {
    writer.literal(`<div${styled(`height: ${props.number('height') ?? defaultHeight}px`)}></div>`);
  },
  html: (writer, props) => writeSanitizedHtml(writer, props.text('html')),
  columns(writer, props, { children = [] }) {
    const widths = props.list('widths');
    writer.literal('<table role="presentation" width="100%"><tr>');
    for (const [index, column] of children.entries()) {
      const width = widths[index];
      writer.literal(typeof width === 'number' ? `<td valign="top" width="${width}%">` : '<td valign="top">');
      writeBlocksHtml(writer, column.type === 'column' ? (column.children ?? []) : [column]);
      writer.literal('</td>');
    }
    writer.literal('</tr></table>');
  },
  column: (writer, _props, { children = [] }) => writeBlocksHtml(writer, children),
  offer(writer, props) {
    const shows = offerParts(props);
    if (shows('imageUrl')) {
      writer.url({ urls: offerUrls('imageUrl'), before: '<p><img src="', after: '" alt="" /></p>' });
    }
    if (shows('name')) around(writer, 'h3', () => writer.token({ name: 'offer.name', fallback: '' }));
    for (const field of ['shortDesc', 'description']) {
      if (shows(field)) around(writer, 'p', () => writer.token({ name: `offer.${field}`, fallback: '' }));
    }
    if (!shows('ctaText') && !shows('ctaUrl')) return;
    link(writer, shows('ctaUrl') ? offerUrls('ctaUrl') : [], 'class="button primary"');
    if (shows('ctaText')) writer.either('offer.ctaText', 'offer.metadata.ctaText');
    else writer.token({ name: 'offer.name', fallback: '' });
    writer.literal('</a>');
  },
  list(writer, props) {
    around(writer, props.is('ordered', true) ? 'ol' : 'ul', () => {
      for (const item of texts(props.list('items'))) around(writer, 'li', () => writeMarkdownHtml(writer, item));
    });
  },
};

function around(writer: MarkupWriter, tag: string, inner: () => void): void {
  writer.literal(`<${tag}>`);
  inner();
  writer.literal(`</${tag}>`);
}

function link(writer: MarkupWriter, urls: readonly string[], attributes = ''): void {
  writer.literal(attributes === '' ? '<a' : `<a ${attributes}`);
  if (urls.length > 0) writer.url({ urls, before: ' href="', after: '"' });
  writer.literal('>');
}

function offerParts(props: Props): (field: string) => boolean {
  const requested = props.list('fields').filter((field) => offerFields.some((known) => known === field));
  return (field) => (requested.length > 0 ? requested : defaultFields).includes(field);
}

/** Offers have no such field, but their `metadata` may. The fallback keeps a missing one from counting as an error. */
const offerUrls = (field: string): string[] => [`{{offer.${field}|}}`, `{{offer.metadata.${field}|}}`];

const texts = (items: readonly unknown[]): string[] => items.filter((item) => typeof item === 'string');

/** Writes blocks as HTML, in order. */
export function writeBlocksHtml(writer: MarkupWriter, blocks: readonly StoredBlock[]): void {
  for (const block of blocks.filter(isShown)) html[block.type](writer, propsOf(block), block);
}

const text: Readonly<Record<StoredBlock['type'], WriteBlock>> = {
  heading: (writer, props) => writeText(writer, props.text('text'), 'text'),
  text: (writer, props) => writeMarkdownText(writer, props.text('text')),
  image(writer, props) {
    writeText(writer, props.text('alt'), 'text');
    if (props.text('linkUrl') !== '') writer.url({ urls: [props.text('linkUrl')], before: ' (', after: ')' });
  },
  button(writer, props) {
    writeText(writer, props.text('text'), 'text');
    writer.url({ urls: [props.text('url')], before: ' (', after: ')' });
  },
  divider: (writer) => writer.literal('---'),
  spacer: () => undefined,
  html: (writer, props) => writeTextOfHtml(writer, props.text('html')),
  columns: (writer, _props, { children = [] }) => writeBlocksText(writer, children),
  column: (writer, _props, { children = [] }) => writeBlocksText(writer, children),
  offer(writer, props) {
    const shows = offerParts(props);
    const fields = ['name', 'shortDesc', 'description'].filter(shows);
    for (const [index, field] of fields.entries()) {
      writer.literal(index === 0 ? '' : '\n');
      writer.token({ name: `offer.${field}`, fallback: '' });
    }
    if (!shows('ctaText') && !shows('ctaUrl')) return;
    writer.literal(fields.length === 0 ? '' : '\n');
    if (shows('ctaText')) writer.either('offer.ctaText', 'offer.metadata.ctaText');
    if (shows('ctaUrl')) writer.url({ urls: offerUrls('ctaUrl'), before: ' (', after: ')' });
  },
  list(writer, props) {
    for (const [index, item] of texts(props.list('items')).entries()) {
      writer.literal(`${index === 0 ? '' : '\n'}${props.is('ordered', true) ? `${index + 1}.` : '-'} `);
      writeMarkdownText(writer, item);
    }
  },
};

/** False for a block that removes a template's block when the template has no block of that id. */
function isShown({ props }: StoredBlock): boolean {
  return props !== null;
}

/** False for a block that means nothing without a page around it. */
export function hasText(block: StoredBlock): boolean {
  return isShown(block) && block.type !== 'spacer';
}

/** A blank line separates two blocks in plain text. */
export const betweenBlocks = '\n\n';

/** Writes blocks as plain text, separated by a blank line. */
export function writeBlocksText(writer: MarkupWriter, blocks: readonly StoredBlock[]): void {
  for (const [index, block] of blocks.filter(hasText).entries()) {
    if (index > 0) writer.literal(betweenBlocks);
    text[block.type](writer, propsOf(block), block);
  }
}
