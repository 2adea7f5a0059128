import type { TenantSettingsAnswer } from '@arbiter/contract/tenant-settings';
import { boot } from '../data/boot.ts';
import { recall, remember } from '../data/storage.ts';

export type Theme = TenantSettingsAnswer['theme'];
export const themes: readonly Theme[] = ['dark', 'light', 'system'];

/** The theme of the person; else that of the tenant; else that of the system. */
export function chosenTheme(): Theme {
  const own = recall('theme');
  const known = themes.find((theme) => theme === own);
  if (known !== undefined) return known;
  const block = boot();
  return block.authenticated ? block.settings.theme : 'system';
}

/** Shows a theme; `system` leaves the choice to the browser. */
export function showTheme(theme: Theme, root: HTMLElement = document.documentElement): void {
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** Shows a theme and keeps it for this person in this browser. */
export function chooseTheme(theme: Theme): void {
  remember('theme', theme);
  showTheme(theme);
}
