import { useMemo } from 'react';
import { keyTexts } from '../messages/palette.ts';
import { shellTexts, tenantTexts } from '../messages/shell.ts';
import type { Command } from '../route/feature.ts';
import type { Links } from '../ui/link.tsx';
import { features } from './manifest.ts';
import { chooseTheme, themes } from './theme.ts';

/** What can be open over the page. */
export type Overlay = 'palette' | 'keys' | 'tenants';

/** Returns the palette's actions that are available on every page. `open` and `signOut` must not change between renders. */
export function useShellCommands(
  links: Links,
  open: (overlay: Overlay) => void,
  signOut: () => void,
): readonly Command[] {
  return useMemo(
    () => [
      ...features.flatMap((feature) => feature.commands ?? []),
      ...themes.map((theme) => ({
        id: `theme ${theme}`,
        title: shellTexts.themeAct(shellTexts.themes[theme]),
        words: 'appearance colors',
        act: { run: () => chooseTheme(theme) },
      })),
      {
        id: 'keys',
        title: keyTexts.title,
        words: 'shortcuts keyboard help',
        keys: '?',
        act: { run: () => open('keys') },
      },
      {
        id: 'tenants',
        title: tenantTexts.act,
        words: 'switch tenant account playground',
        act: { run: () => open('tenants') },
      },
      {
        id: 'documents',
        title: shellTexts.apiDocuments,
        words: 'openapi reference help',
        act: { run: () => void globalThis.open(links.href('/api/docs'), '_blank', 'noopener') },
      },
      { id: 'sign-out', title: shellTexts.signOut, words: 'leave log out', act: { run: signOut } },
    ],
    [links, open, signOut],
  );
}
