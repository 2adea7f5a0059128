import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

/**
 * Returns the page of a proof file without the proof: one HTML file with the engine. Its policy allows only its own script and style,
 * by hash, and no loading. The server adds the proof (features/deciding/decisions/proof-page.ts).
 */
export async function bundleProofPage(consoleFolder: string): Promise<string> {
  const folder = join(consoleFolder, 'src/proof');
  const made = await build({
    root: consoleFolder,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: ['chrome123', 'firefox121', 'safari17.5'],
      modulePreload: false,
      lib: { entry: join(folder, 'main.ts'), formats: ['iife'], name: 'proof' },
    },
  });
  const [output] = Array.isArray(made) ? made : [made];
  if (output === undefined || !('output' in output)) throw new Error('the bundler made no proof page');
  // Neither text may end its element early.
  const script = output.output[0].code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const style = readFileSync(join(folder, 'proof.css'), 'utf8').replaceAll(/\s+/g, ' ').trim();
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'`;
  return (
    readFileSync(join(folder, 'proof.html'), 'utf8')
      .replace('default-src none', policy)
      // Functions, because `$` is special in replacement strings.
      .replace('<style></style>', () => `<style>${style}</style>`)
      .replace('<script></script>', () => `<script>${script}</script>`)
  );
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
