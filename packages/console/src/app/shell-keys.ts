import { trailTexts } from '../messages/decisions/trail.ts';
import { keyTexts } from '../messages/palette.ts';
import type { Command } from '../route/feature.ts';
import { useKeys } from '../route/use-keys.ts';
import type { Links } from '../ui/link.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { stepsFrom } from '../ui/trail/trail.ts';
import { commit } from './commit.ts';
import type { RailSection } from './rail-sections.ts';
import type { Overlay } from './shell-commands.ts';

/** Opens the previous or next record of the list that the current record was opened from. */
function step({ here, go }: Links, where: 'previous' | 'next'): void {
  const steps = here === undefined ? null : stepsFrom(here());
  const to = steps?.[where] ?? null;
  if (to !== null) go(to);
  else toast({ text: steps === null ? trailTexts.none : trailTexts[where === 'next' ? 'last' : 'first'] });
}

/** Listens for the shortcuts that work on every page. */
export function useShellKeys(
  links: Links,
  sections: readonly RailSection[],
  commands: readonly Command[],
  open: (overlay: Overlay) => void,
): void {
  useKeys([
    { keys: 'mod+k', title: keyTexts.palette, run: () => open('palette') },
    { keys: '?', title: keyTexts.overview, run: () => open('keys') },
    { keys: 'mod+enter', title: keyTexts.commit, run: () => commit(document.getElementById('page')) },
    { keys: '[', title: trailTexts.previous, run: () => step(links, 'previous') },
    { keys: ']', title: trailTexts.next, run: () => step(links, 'next') },
    {
      keys: '/',
      title: keyTexts.filter,
      run: () => document.querySelector<HTMLElement>('#page [data-filter], #page input[type="search"]')?.focus(),
    },
    ...sections
      .flatMap(({ entries }) => entries)
      .flatMap(({ screen: { path, title }, place: { key } }) =>
        key === undefined ? [] : [{ keys: `g ${key}`, title: keyTexts.goTo(title), run: () => links.go(path) }],
      ),
    ...commands.flatMap(({ keys, title, act }) =>
      keys === undefined || keys === '?'
        ? []
        : [{ keys, title, run: () => ('open' in act ? links.go(act.open) : void act.run()) }],
    ),
  ]);
}
