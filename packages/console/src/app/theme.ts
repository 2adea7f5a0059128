import type { TenantSettingsAnswer } from '@arbiter/contract/identity/tenant-settings';
import { boot } from '../data/boot.ts';
import { recall, remember } from '../data/storage.ts';

export type Theme = TenantSettingsAnswer['theme'];
export const themes: readonly Theme[] = ['dark', 'light', 'system'];

/** Returns the user's theme, else the tenant's, else the system's. */
export function chosenTheme(): Theme {
  const own = recall('theme');
  const known = themes.find((theme) => theme === own);
  if (known !== undefined) return known;
  const block = boot();
  return block.authenticated ? block.settings.theme : 'system';
}

/** Applies a theme. `system` leaves the choice to the browser. */
export function showTheme(theme: Theme, root: HTMLElement = document.documentElement): void {
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** Applies a theme and stores it for this user in this browser. */
export function chooseTheme(theme: Theme): void {
  remember('theme', theme);
  showTheme(theme);
}
