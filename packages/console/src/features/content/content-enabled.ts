import { boot } from '../../data/boot.ts';
import { contentTexts as t } from '../../messages/content/items.ts';

/** Why no content item can be changed; null: they can. */
export function whyNotChange(): string | null {
  const block = boot();
  return block.authenticated && block.settings.enableContentManagement === false ? t.off : null;
}
