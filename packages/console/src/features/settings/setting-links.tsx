import { settingLinkTexts as t } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';

const pages = ['account', 'people', 'singleSignOn', 'apiKeys', 'oauthClients', 'destinations'] as const;

/** The pages of settings with a subject of their own. */
export function SettingLinks() {
  return (
    <nav aria-label={t.title} className="grid gap-2 sm:grid-cols-2">
      {pages.map((page) => (
        <Link
          key={page}
          to={addresses[page]()}
          look="plain"
          className="flex flex-col rounded-card border border-line bg-surface px-4 py-2.5 hover:bg-hover"
        >
          <span className="font-medium text-ink">{t.pages[page].title}</span>
          <span className="text-caption text-soft">{t.pages[page].text}</span>
        </Link>
      ))}
    </nav>
  );
}
