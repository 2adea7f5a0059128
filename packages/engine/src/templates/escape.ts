/**
 * Writes a value into the content, by key and template type (docs/design/api-catalogue.md 3.4, docs/design/quality.md
 * T20).
 */
export type Escape = (value: string) => string;

/** Returns the rule for the values of one key. `isAlone`: the text is one token and nothing else. */
export function escapeFor(key: string, templateType: string, isAlone: boolean): Escape {
  // A value that is the whole link must stay one; its scheme is checked afterwards.
  if (isUrlKey(key) || key === 'deepLink') return isAlone ? wholeLink : percentEncoded;
  if (key === 'html') return htmlEscaped;
  if (isHtmlType(templateType) && key !== 'subject') return htmlEscaped;
  if (templateType === 'webhook_json') return jsonEscaped;
  return withoutControls;
}

/** The rule for a whole text after its tokens are replaced; undefined drops the key. */
export function finishFor(key: string): ((text: string) => string | undefined) | null {
  if (key === 'subject') return (text) => text.replace(/[\r\n]+/g, ' ');
  if (key === 'deepLink') return safeDeepLink;
  return isUrlKey(key) ? safeUrl : null;
}

function isUrlKey(key: string): boolean {
  return key.endsWith('Url');
}

/** Template types, besides those named html, whose texts are shown as HTML (docs/design/api-settled.md 46). */
const HTML_TYPES: ReadonlySet<string> = new Set(['in_app_modal', 'banner', 'content_card']);

function isHtmlType(templateType: string): boolean {
  return templateType === 'html' || templateType.endsWith('_html') || HTML_TYPES.has(templateType);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Text as HTML shows it, between tags and in quoted attributes (docs/design/api-settled.md 115). */
export function htmlEscaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}

/** Half a character has no UTF-8 form; it becomes U+FFFD, where `encodeURIComponent` would throw. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/'/g, '%27');
}

/** A whole link: only what no link may hold is encoded. */
function wholeLink(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is encoded
  return value.replace(/[\s\u0000-\u001f\u007f-\u009f\p{Surrogate}]/gu, percentEncoded);
}

function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Plain text on one line. Line ends and tabs become a space, so that words stay apart; other control characters go. */
export function withoutControls(value: string): string {
  return value.replace(CONTROLS, (controls) => (/[\t\n\v\f\r\u0085]/.test(controls) ? ' ' : ''));
}

const LINK_SCHEMES: ReadonlySet<string> = new Set(['https', 'http', 'mailto', 'tel']);
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'file']);

function safeUrl(text: string): string | undefined {
  const url = text.replace(CONTROLS, '').trim();
  const scheme = schemeOf(url);
  return scheme !== null && LINK_SCHEMES.has(scheme) ? url : undefined;
}

function safeDeepLink(text: string): string | undefined {
  const link = text.replace(CONTROLS, '').trim();
  const scheme = schemeOf(link);
  return scheme !== null && FORBIDDEN_SCHEMES.has(scheme) ? undefined : link;
}

function schemeOf(url: string): string | null {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? null;
}
