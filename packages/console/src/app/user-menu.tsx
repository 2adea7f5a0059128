import { CircleUser } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { boot, onBoot } from '../data/boot.ts';
import { useSignOut } from '../data/use-session.ts';
import { shellTexts, tenantTexts } from '../messages/shell.ts';
import { addresses } from '../route/addresses.ts';
import { Button } from '../ui/button.tsx';
import { Menu, type MenuItem } from '../ui/overlays/menu.tsx';
import { tellSignedOut } from './live.ts';
import { screens } from './manifest.ts';
import { chooseTheme, chosenTheme, themes } from './theme.ts';

/** After signing out, every tab reloads at the sign-in page, so that nothing stays visible. */
export function leave(): void {
  tellSignedOut();
  globalThis.location.assign(`.${addresses.login()}`);
}

/** The user menu: account, theme, sign out. */
export function UserMenu({ onTenants }: { onTenants: () => void }) {
  const block = useSyncExternalStore(onBoot, boot);
  const [theme, setTheme] = useState(chosenTheme);
  const signOut = useSignOut(leave);
  if (!block.authenticated) return null;
  const { principal } = block.session;
  const name = principal?.name ?? '';
  const account = addresses.account();
  const items: MenuItem[] = [
    { heading: `${name} · ${principal?.role ?? ''} · ${block.session.tenant?.name ?? ''}` },
    ...(screens.some(({ path }) => path === account) ? [{ label: shellTexts.ownAccount, act: { to: account } }] : []),
    { label: tenantTexts.act, act: onTenants },
    'line',
    { heading: shellTexts.theme },
    ...themes.map((each) => ({
      label: shellTexts.themes[each],
      checked: each === theme,
      act: () => {
        chooseTheme(each);
        setTheme(each);
      },
    })),
    'line',
    { label: shellTexts.signOut, act: signOut },
    ...(block.version === '' ? [] : [{ heading: shellTexts.version(block.version) }]),
  ];
  return (
    <Menu
      items={items}
      trigger={
        <Button
          kind="quiet"
          aria-label={shellTexts.account(name)}
          icon={<CircleUser aria-hidden className="size-4" />}
        />
      }
    />
  );
}
