import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

/** Libraries that every screen needs: they change seldom and stay in the browser's cache over a release of ours. */
const everywhere = /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-)?(router|query|history|store)[^/]*)\//;

/** Stands before a running server, which takes writes of a session from its own origin only. */
function before(target: string) {
  return { '/api': { target, changeOrigin: true, headers: { origin: new URL(target).origin } } };
}

const describedOnly = /contract\/src\/deciding\/decision-(drops|policies|record|rules|scores|trace)\.ts$/;

/** The console never reads the schemas of records and traces, which would add 8 KB to every page that imports one. */
const withoutSchemas = {
  name: 'without-schemas',
  transform: (code: string, id: string) =>
    describedOnly.test(id)
      ? [...code.matchAll(/^export const (\w+)/gm)].map(([, name]) => `export const ${name} = {};\n`).join('')
      : null,
};

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  // One build serves every path: the server writes the <base> of the page, and files are named from there.
  base: './',
  plugins: [
    react(),
    tailwind(),
    withoutSchemas,
    // The server writes this into the page; here it stands in for it.
    { name: 'base-element', apply: 'serve', transformIndexHtml: () => [{ tag: 'base', attrs: { href: '/' } }] },
  ],
  server: { proxy: before(loadEnv(mode, import.meta.dirname, 'ARBITER_').ARBITER_URL ?? 'http://localhost:3000') },
  build: {
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Images and fonts are files of their own: the page's policy takes no font from a data: address.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'libraries', test: everywhere }] } } },
  },
}));
