import { can } from '../../data/can.ts';
import { settingLinkTexts as t } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';

const pages = [
  { key: 'account', to: addresses.account(), needs: null },
  { key: 'people', to: addresses.people(), needs: 'admin' },
  { key: 'singleSignOn', to: addresses.singleSignOn(), needs: 'admin' },
  { key: 'apiKeys', to: addresses.apiKeys(), needs: 'admin' },
  { key: 'oauthClients', to: addresses.oauthClients(), needs: 'admin' },
  { key: 'destinations', to: addresses.destinations(), needs: null },
] as const;

/** Pages of settings with a subject of their own. As in the sidebar, those that the role can't read are left out. */
export function SettingLinks() {
  return (
    <nav aria-label={t.title} className="grid gap-2 sm:grid-cols-2">
      {pages
        .filter(({ needs }) => can({ role: needs, auth: 'credential' }).allowed)
        .map(({ key, to }) => (
          <Link
            key={key}
            to={to}
            look="plain"
            className="flex flex-col rounded-card border border-line bg-surface px-4 py-2.5 hover:bg-hover"
          >
            <span className="font-medium text-ink">{t.pages[key].title}</span>
            <span className="text-caption text-soft">{t.pages[key].text}</span>
          </Link>
        ))}
    </nav>
  );
}
