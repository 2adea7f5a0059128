import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { boot, onBoot } from '../data/boot.ts';
import { useTableLooks } from '../data/saved/table-looks.ts';
import { DensityProvider } from '../ui/density.tsx';
import { UiProvider } from '../ui/provider.tsx';

/** Provides links, and numbers and times in the tenant's format. */
export function Surroundings({ children }: { children: ReactNode }) {
  const router = useRouter();
  const { density } = useTableLooks();
  const block = useSyncExternalStore(onBoot, boot);
  const links = useMemo(() => {
    const before = router.basepath === '/' ? '' : router.basepath;
    return {
      href: (to: string) => before + to,
      go: (to: string) => router.history.push(before + to),
      here: () => router.history.location.pathname.slice(before.length),
      // A failed prefetch is retried, and reported, when the page opens.
      prefetch: (to: string) => void router.preloadRoute({ to: to.replace(/[?#].*$/, '') }).catch(() => undefined),
    };
  }, [router]);
  const { locale, timezone, currency } = block.authenticated
    ? block.settings
    : { locale: navigator.language, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, currency: 'EUR' };
  return (
    <UiProvider links={links} locale={locale} timeZone={timezone} currency={currency}>
      <DensityProvider density={density}>{children}</DensityProvider>
    </UiProvider>
  );
}
