import type sanitizeHtml from 'sanitize-html';
import { lazyPackages } from '../../../platform/packages/lazy-packages.ts';
import { hasMark, markTokens, partsOf, sourceOf } from './marked-text.rules.ts';
import type { MarkupWriter } from './markup.rules.ts';

/**
 * HTML that authors may use (docs/design/api-catalogue.md 3.2): no scripts, event attributes, forms, frames or style
 * sheets, and only images load on their own. IDs and names are dropped, so no element can pass for one of the
 * surrounding page. Anything else is removed; only scripts and similar elements also lose their content.
 */
const tags = (
  'a abbr address article aside b blockquote br caption center cite code col colgroup dd del div dl dt em figcaption figure ' +
  'font footer h1 h2 h3 h4 h5 h6 header hr i img ins li main mark ol p pre q s section small span strike strong sub sup ' +
  'table tbody td tfoot th thead time tr u ul wbr'
).split(' ');

const attributes = (
  'align alt bgcolor border cellpadding cellspacing class color colspan dir face height lang role rowspan scope size start ' +
  'style title type valign width'
).split(' ');

/** Values without functions that load something, escapes or tokens. */
const plainStyle = /^(?:[\w\s.,#%!'"+/*-]|\b(?:rgba?|hsla?|calc)\([\w\s.,%+*/-]*\))*$/i;
const styles = (
  'background-color border border-bottom border-bottom-color border-bottom-style border-bottom-width border-collapse ' +
  'border-color border-left border-radius border-right border-spacing border-style border-top border-width box-sizing color ' +
  'direction display font font-family font-size font-style font-variant font-weight height letter-spacing line-height ' +
  'list-style-type margin margin-bottom margin-left margin-right margin-top max-height max-width min-height min-width ' +
  'opacity overflow-wrap padding padding-bottom padding-left padding-right padding-top table-layout text-align ' +
  'text-decoration text-indent text-overflow text-transform vertical-align white-space width word-break word-spacing ' +
  'word-wrap'
).split(' ');

const deepest = 100;

const allowed = {
  allowedTags: tags,
  disallowedTagsMode: 'discard',
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'noscript',
    'title',
    'iframe',
    'object',
    'svg',
    'math',
    'template',
  ],
  allowedAttributes: { '*': attributes, a: ['href'], img: ['src'] },
  allowedStyles: { '*': Object.fromEntries(styles.map((name) => [name, [plainStyle]])) },
  // Links are marks here. The engine checks their schemes after tokens are filled in.
  allowedSchemes: [],
  nestingLimit: deepest,
} as const satisfies Record<string, unknown>;

/** Matches the placeholder of a link: its mark's number in quotes. */
const linkMark = /(?: (href|src)=)"\ue000L(\d+)\ue001"/g;

/** Writes the author's HTML without anything disallowed. Tokens and links become separate parts. */
export function writeSanitizedHtml(writer: MarkupWriter, source: string): void {
  const { text, marked } = markTokens(source);
  const links: string[] = [];
  const html = lazyPackages.sanitizeHtml()(text, {
    ...mutable(),
    transformTags: {
      '*': (tagName, attribs) => ({
        tagName,
        attribs: Object.fromEntries(
          Object.entries(attribs).flatMap(([name, value]) => {
            const link = name === 'href' || name === 'src';
            if (link) return [[name, `\ue000L${links.push(sourceOf(value, marked)) - 1}\ue001`]];
            return name === 'style' && hasMark(value) ? [] : [[name, value]];
          }),
        ),
      }),
    },
  });
  let end = 0;
  const write = (literal: string): void => {
    for (const part of partsOf(literal, marked)) {
      if (typeof part === 'string') writer.literal(part);
      else writer.token(part);
    }
  };
  for (const match of html.matchAll(linkMark)) {
    write(html.slice(end, match.index));
    end = match.index + match[0].length;
    writer.url({ urls: [links[Number(match[2])] ?? ''], before: ` ${match[1]}="`, after: '"' });
  }
  write(html.slice(end));
}

/** Writes the text of the author's HTML without tags, with a line for each paragraph, cell row and list item. */
export function writeTextOfHtml(writer: MarkupWriter, source: string): void {
  const { text, marked } = markTokens(source);
  const lines = lazyPackages
    .sanitizeHtml()(text, { ...mutable(), allowedAttributes: {} })
    .replace(/\s+/g, ' ')
    .replace(
      /<br\s*\/?>|<\/(?:p|div|h[1-6]|li|tr|table|ul|ol|dd|dt|blockquote|pre|section|article|header|footer)>/g,
      '\n',
    )
    .replace(/<[^>]*>/g, '')
    .replace(/ *\n[ \n]*/g, '\n')
    .trim();
  for (const part of partsOf(decoded(lines), marked)) {
    if (typeof part === 'string') writer.literal(part);
    else writer.token(part);
  }
}

/** Decodes the entities that the sanitizer writes. */
function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&');
}

/** Copies the rules into the mutable types of the library. */
function mutable(): sanitizeHtml.IOptions {
  const { nonTextTags, allowedSchemes, allowedAttributes, ...others } = allowed;
  return {
    ...others,
    nonTextTags: [...nonTextTags],
    allowedSchemes: [...allowedSchemes],
    allowedAttributes: { '*': attributes, a: [...allowedAttributes.a], img: [...allowedAttributes.img] },
  };
}
