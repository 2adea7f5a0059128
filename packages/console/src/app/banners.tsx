import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { boot, onBoot } from '../data/boot.ts';
import { connectionNow, onConnection } from '../data/connection.ts';
import { sessionLeft, warnMs } from '../data/session.ts';
import { askToSignIn } from '../data/signed-out.ts';
import { bannerTexts } from '../messages/shell.ts';
import { Button } from '../ui/button.tsx';

/** Share of the playground's decisions from which the banner shows how many are left. */
const quotaShare = 0.9;

/** Console-wide notices: no connection, a session about to end, a quota that is used up. */
export function Banners() {
  const connection = useSyncExternalStore(onConnection, connectionNow);
  const block = useSyncExternalStore(onBoot, boot);
  const seconds = useSessionSeconds(block.authenticated ? (block.session.expiresAt ?? null) : null);
  const { quotaUsed = null, quotaLimit = null } = block.authenticated ? block.tenantStatus : {};
  const quota = quotaUsed !== null && quotaLimit !== null && quotaUsed >= quotaLimit * quotaShare;
  return (
    <div role="status" className="contents">
      {connection === 'well' ? null : <Banner>{bannerTexts[connection]}</Banner>}
      {seconds === null ? null : (
        <Banner>
          {bannerTexts.sessionEnds(seconds)}
          <Button size="small" onClick={askToSignIn}>
            {bannerTexts.signInAgain}
          </Button>
        </Banner>
      )}
      {quota ? (
        <Banner>{quotaUsed >= quotaLimit ? bannerTexts.quotaUsedUp : bannerTexts.quota(quotaUsed, quotaLimit)}</Banner>
      ) : null}
    </div>
  );
}

function Banner({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-start gap-3 border-line border-b bg-warn-soft px-4 py-1.5 text-dense text-ink">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">{children}</div>
    </div>
  );
}

/** Returns the seconds left of a session once a warning is due; null before. */
function useSessionSeconds(expiresAt: string | null): number | null {
  const [now, setNow] = useState(() => Date.now());
  const left = sessionLeft(expiresAt, now);
  const warn = left?.warn === true;
  const sleepMs = left === null ? null : warn ? 1_000 : Math.min(left.ms - warnMs, 3_600_000);
  useEffect(() => {
    if (sleepMs === null) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(sleepMs, 500));
    return () => clearTimeout(timer);
  });
  return left !== null && warn && left.ms > 0 ? Math.ceil(left.ms / 1_000) : null;
}
