import type { TenantSettingsAnswer } from '@arbiter/contract/tenant-settings';

export type Theme = TenantSettingsAnswer['theme'];

/** Shows a theme; `system` leaves the choice to the browser. */
export function showTheme(root: HTMLElement, theme: Theme): void {
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}
