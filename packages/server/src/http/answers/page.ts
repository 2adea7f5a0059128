import { createHash } from 'node:crypto';
import { style } from './page-style.ts';

/** A self-contained page. The policy names its style and script by their hashes. */
export interface StaticPage {
  /** UTF-8, sent unchanged to everyone. */
  readonly html: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageParts {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** An ES module without imports. May call only this server. */
  readonly script?: string;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Escapes text between tags, where quotes need no escape: escaping them makes JSON half as large again. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Returns JSON that can't end the script element around it, whatever its texts contain. */
export function scriptText(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Escapes text and renders `code` in back quotes. */
export function prose(text: string): string {
  return escapeText(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function renderPage({ title, body, script }: PageParts): StaticPage {
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><style>${style}</style></head><body>${body}` +
    `${script === undefined ? '' : `<script type="module">${script}</script>`}</body></html>`;
  const scripted =
    script === undefined
      ? ''
      : `script-src '${hashOf(script)}'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; `;
  return {
    html: Buffer.from(html),
    headers: {
      'content-security-policy':
        `default-src 'none'; style-src '${hashOf(style)}'; ${scripted}` +
        `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
