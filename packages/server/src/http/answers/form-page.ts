import { createHash } from 'node:crypto';
import type { AppError } from '../../platform/app-error.ts';
import { fontStyle } from './form-font.ts';
import { escapeHtml } from './page.ts';

/**
 * Form pages for people without a session: one card, no script, nothing loaded. Colors match the console
 * (docs/design/console.md 4); a test checks their contrast.
 */
export const formStyle = `
:root{--canvas:#f6f7f6;--surface:#fff;--ink:#171a18;--soft:#4d5650;--line:#dadeda;--edge:#828a85;--accent:#1f5fd0;--press:#184dab;
--on:#fff;--link:#1a4fae;--pass:#17703f;--pass-soft:#e2f3e8;--block:#b3261e;--block-soft:#fbe9e7;--sunken:#eceeec}
@media (prefers-color-scheme:dark){:root{--canvas:#0f1211;--surface:#161a18;--ink:#e8ece9;--soft:#b0b9b3;--line:#2b322e;--edge:#6f7a74;
--accent:#4c8dff;--press:#6ba1ff;--on:#06142e;--link:#8db6ff;--pass:#5ccb8b;--pass-soft:#12291d;--block:#ff8a80;--block-soft:#35191a;--sunken:#0b0d0c}}
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0;min-height:100vh;background:var(--canvas);color:var(--ink);font:1rem/1.5 "Inter Variable",system-ui,-apple-system,"Segoe UI",sans-serif;display:grid;justify-items:center;align-content:start;padding:12vh 16px 48px}
main{width:100%;max-width:416px}
.brand{display:flex;align-items:center;gap:10px;margin:0 0 16px 4px;font-size:1.125rem;font-weight:600}
.brand svg{width:28px;height:28px}
.brand rect,.brand circle{fill:var(--accent)}
.brand circle{fill:var(--on)}
.brand path{fill:none;stroke:var(--on);stroke-width:2.25;stroke-linecap:round;stroke-linejoin:round}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:32px}
h1{font-size:1.375rem;line-height:1.3;font-weight:600;margin:0 0 20px}
p{margin:0 0 16px}
.soft{color:var(--soft);font-size:.9375rem}
label{display:block;font-weight:500;margin:0 0 4px}
.help{color:var(--soft);font-size:.875rem;margin:0 0 6px}
.field{margin:0 0 20px}
input{width:100%;font:inherit;color:var(--ink);background:var(--surface);border:1px solid var(--edge);border-radius:4px;padding:9px 12px;min-height:44px}
input[aria-invalid=true]{border-color:var(--block);border-width:2px;padding:8px 11px}
.error{color:var(--block);font-size:.875rem;font-weight:500;margin:6px 0 0}
button,.button{display:block;width:100%;min-height:44px;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:4px;padding:9px 16px;cursor:pointer;color:var(--on);background:var(--accent);border:1px solid var(--accent)}
button:hover,.button:hover{background:var(--press);border-color:var(--press)}
.other{color:var(--ink);background:var(--surface);border-color:var(--edge);font-weight:500;margin-top:12px}
.other:hover{background:var(--canvas);border-color:var(--edge)}
a{color:var(--link);text-underline-offset:2px}
.more{margin:20px 0 0;font-size:.9375rem}
.or{display:flex;gap:12px;align-items:center;color:var(--soft);font-size:.875rem;margin:20px 0 8px}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.note{border-radius:6px;border:1px solid;padding:12px 14px;margin:0 0 20px;font-size:.9375rem}
.note strong{display:block}
.note p:last-child{margin:0}
.note.bad{color:var(--block);background:var(--block-soft)}
.note.good{color:var(--pass);background:var(--pass-soft)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.qr{display:block;width:240px;height:240px;margin:0 auto 20px;background:#fff;border-radius:6px}
.codes{list-style:none;margin:0 0 20px;padding:16px;background:var(--sunken);border-radius:6px;display:grid;grid-template-columns:1fr 1fr;gap:6px 16px}
.codes,.secret{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.secret{display:block;background:var(--sunken);border-radius:6px;padding:10px 12px;margin:0 0 20px;overflow-wrap:anywhere;user-select:all}
ol{margin:0 0 20px;padding-left:20px}
@media (max-width:480px){body{padding-top:32px}.card{padding:24px 20px}}
@media (forced-colors:active){.card,.note,button,.button{border:1px solid}}
@media print{body{padding:0}.more,button,.button{display:none}}
`.replaceAll('\n', '');

const hashOf = (style: string): string => `sha256-${createHash('sha256').update(style).digest('base64')}`;

/**
 * `same-origin`, not `no-referrer`: without any referrer, browsers send `Origin: null` with the page's forms. A page's
 * address may contain a token, and neither setting shows it to other sites.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    `default-src 'none'; style-src '${hashOf(formStyle)}' '${hashOf(fontStyle)}'; font-src data:; ` +
    `form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The product mark, decorative only. The console's is packages/console/src/ui/brand-mark.tsx. */
const mark =
  '<svg aria-hidden="true" viewBox="0 0 24 24"><rect width="24" height="24" rx="6"/><path d="M6.5 18 12 6l5.5 12"/><circle cx="12" cy="15.75" r="1.75"/></svg>';

interface FormPage {
  readonly heading: string;
  /** HTML. */
  readonly body: string;
  /** Something needs correcting. The title says so first. */
  readonly isRefused?: boolean;
  /** Leaves out the font to keep the page small. */
  readonly isLight?: boolean;
}

/** Returns a whole page. */
export function formPage({ heading, body, isRefused = false, isLight = false }: FormPage): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${isRefused ? 'Error: ' : ''}${escapeHtml(heading)} · Arbiter</title>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
    `<meta name="robots" content="noindex">${isLight ? '' : `<style>${fontStyle}</style>`}<style>${formStyle}</style></head>` +
    `<body><main><p class="brand">${mark}Arbiter</p><div class="card"><h1>${escapeHtml(heading)}</h1>${body}</div></main></body></html>`
  );
}

/** Returns what people see for an error that isn't about their input. */
export function errorPage(error: AppError, requestId: string): string {
  const wait = error.retryAfterSeconds;
  const text = saidOf(error);
  const body =
    `<div class="note bad" role="alert"><p>${escapeHtml(text)}</p></div>` +
    `${wait === undefined ? '' : `<p>Try again in ${waiting(wait)}.</p>`}` +
    `<p class="soft">Request <code>${escapeHtml(requestId)}</code></p>`;
  // An overloaded server sends many of these.
  return formPage({ heading: titles[error.status] ?? "That didn't work", body, isRefused: true, isLight: true });
}

function saidOf(error: AppError): string {
  // Waiting doesn't help here, and the detail says what does.
  if (error.code === 'not_configured') {
    return `${error.detail ?? error.message} Ask the operator of this server to change that.`;
  }
  if (error.status >= 500) return 'This is our fault, not yours. Try again in a moment.';
  return words[error.status] ?? error.detail ?? error.message;
}

const waiting = (seconds: number): string =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** Replaces the texts that API callers get. */
const words: Readonly<Record<number, string>> = {
  405: 'Open this page through its link or its form.',
  429: 'There were too many attempts from your network.',
};

const titles: Readonly<Record<number, string>> = {
  403: 'Not from this page',
  404: 'Page not found',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};
