import type { ConsoleBoot } from '@arbiter/contract';
import { formPage } from '../../../http/answers/form-page.ts';
import { escapeHtml, scriptText } from '../../../http/answers/page.ts';

/** Headers of the console's page (docs/design/console.md 5.5). `nonce`: of this answer alone. */
export function shellHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy':
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
      "connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types arbiter",
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

/**
 * The page of a build with what belongs to this answer: the path that all its addresses are relative to, the nonce for the styles
 * that libraries add, and the boot block.
 */
export function renderShell(
  page: string,
  { base, nonce, boot }: { readonly base: string; readonly nonce: string; readonly boot: ConsoleBoot },
): string {
  const first = `<base href="${escapeHtml(base)}/"><meta property="csp-nonce" nonce="${escapeHtml(nonce)}">`;
  const last = `<script type="application/json" id="boot">${scriptText(boot)}</script>`;
  // Functions, since a replacement text would read `$` in names as a command.
  return page.replace(/<head>/, (tag) => tag + first).replace(/<\/head>/, (tag) => last + tag);
}

/** In place of a console that has not been built. */
export function notBuiltPage(base: string): string {
  const at = escapeHtml(base);
  return formPage({
    heading: "The console isn't built",
    body:
      '<p>The server is running and its API is available. Only the console is missing. Build it in the ' +
      'Arbiter folder:</p><code class="secret">npm run build</code><p>Then reload this page. You ' +
      `don't need to restart the server.</p><p class="more"><a href="${at}/api/docs">API documentation</a> ` +
      `· <a href="${at}/login">Sign in</a></p>`,
  });
}
