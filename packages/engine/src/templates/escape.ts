/** How a value is written into the content, by key and template type (docs/design/api-catalogue.md 3.4, docs/design/quality.md T20). */
export type Escape = (value: string) => string;

/** The rule for the values of one key. */
export function escapeFor(key: string, templateType: string): Escape {
  if (isUrlKey(key)) return percentEncoded;
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

function isHtmlType(templateType: string): boolean {
  return templateType === 'html' || templateType.endsWith('_html');
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function htmlEscaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}

/** Half a character has no UTF-8 form; it becomes U+FFFD, where `encodeURIComponent` would throw. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/'/g, '%27');
}

function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Line ends and tabs become a space, so that words stay apart; other control characters go. */
function withoutControls(value: string): string {
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
