import { type ErrorCode, errorRegistry } from '@arbiter/contract';
import { escapeHtml, prose, renderPage, type StaticPage } from '../answers/page.ts';

/** Returns the page of the closed error registry, grouped by status. `base` is the path of the public address. */
export function errorsPage(base: string): StaticPage {
  const codes = Object.keys(errorRegistry) as ErrorCode[];
  const byStatus = Map.groupBy(codes, (code) => errorRegistry[code].status);
  const sections = [...byStatus].sort(([a], [b]) => a - b);
  const navigation = sections.map(([status]) => `<li><a href="#s${status}">${status}</a></li>`).join('');
  const body = sections
    .map(([status, found]) => {
      const rows = found
        .map(
          (code) =>
            `<tr id="${code}"><td><code>${code}</code></td><td>${escapeHtml(errorRegistry[code].title)}</td></tr>`,
        )
        .join('');
      return `<h2 id="s${status}">${status}</h2><table><tr><th>code</th><th>title</th></tr>${rows}</table>`;
    })
    .join('');
  return renderPage({
    title: 'Arbiter: error codes',
    body:
      `<div class="layout"><nav aria-label="Statuses"><a class="brand" href="${base}/api/docs">Arbiter</a><div class="tag"><h2>By status</h2><ul>${navigation}</ul></div></nav>` +
      `<main><h1>Error codes</h1><p class="soft">${prose(introduction)}</p><pre><code>${escapeHtml(example)}</code></pre>${body}</main></div>`,
  });
}

const introduction =
  'Every error is `application/problem+json` (RFC 9457). Handle errors by `code`: the set of codes is ' +
  'closed, and a code always has the same status and title. `errors` points at what is wrong: a JSON ' +
  'Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`. With 429 and 503, ' +
  '`Retry-After` says when to try again.';

const example = JSON.stringify(
  {
    type: 'urn:arbiter:error:validation_failed',
    title: 'Some fields need attention',
    status: 400,
    detail: 'name is required',
    code: 'validation_failed',
    requestId: '01997f3e-5c1a-7a52-9b0e-2f6f3f1f9d10',
    error: 'name is required',
    errors: [{ path: '/name', message: 'is required' }],
  },
  null,
  2,
);
